// Package prefetch asks the processor to bring memory near that will be read soon. Memory that is not in a cache takes
// as long as some hundred instructions; who knows a few places beforehand can wait for all of them at once:
//
//	prefetch.Lines(places) // returns at once
//	… // what else there is to do
//	for _, p := range places { read(p) } // waits little, or not at all
//
// It is a hint: it reads and changes nothing that a program can see, so an address need not be that of anything, not even
// mapped, and may be written by others meanwhile. Where there is no such instruction it does nothing.
//
// The package keeps no state; any goroutine may use it.
package prefetch
