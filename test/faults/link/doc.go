// Package link has links between two servers that can be made bad while they are in use.
//
// A Proxy forwards TCP connections, and delays, throttles, freezes and cuts them, anywhere. A Pair is two network
// namespaces with a cable between, which also loses packets: by the kernel's netem where it has that, else by dropping some
// and limiting the rate. It needs Linux and root, and what it made is gone after Close.
package link
