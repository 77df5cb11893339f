// Package noderesp is the operator's conversation with one node, over RESP.
//
// It promises that nothing waits longer than its timeouts, that nothing is retried (the reconciler looks again), and that
// a node that answered with an error (Refusal) is told apart from one that did not answer. The controllers call it, with
// an address they have just read from the API server; it keeps no connection between reconciles.
package noderesp
