// Engine measures the sorted-set engine beside a plain skip list and well-known ordered containers of the Go
// ecosystem: time per operation and bytes per member over the size of a set, and what the garbage collector
// costs a set of ten million members.
//
//	go run ./engine -short     a minute and a half: sets of up to 100k members, three runs
//	go run ./engine -long      everything, up to five runs; half an hour
//
// Each run of a contender at a size is a process of its own, and the contenders take turns (A B C A B C …), so
// that a slow minute of the machine falls on all. The tables go to standard output; with -out also CSV, plots and
// the sections of README.md between its markers. A table of the engine's bars closes the output; it informs and
// does not decide the exit status.
package main
