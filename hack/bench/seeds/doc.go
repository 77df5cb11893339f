// Seeds reproduces five proposals that were made to servers of sorted sets, each with its authors' method: P = 1/e,
// the score stored with the member, range deletion as one move, the key embedded in the dictionary's entry, and packed
// small collections.
//
//	go run ./seeds -short                  a small scale, three runs; a minute
//	go run ./seeds -long                   a larger scale, up to five runs; eight minutes
//	go run ./seeds -seed p,packed          only these
//	go run ./seeds -seed embedded -addr HOST:PORT -peer HOST:PORT
//	                                       against servers that run already, both empty
//
// The tables go to standard output; with -out also CSV, plots and the section of README.md between its markers.
package main
