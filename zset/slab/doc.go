// Package slab is memory outside the Go heap, where the garbage collector neither scans it nor counts it: for
// the arenas of large sets and for a node's keyspace, whose entry, key and small listpack are one allocation.
//
// A Heap gives out memory in two ways. [Heap.Alloc] answers with a Ref of 32 bits, by which others can refer to
// the allocation and [Heap.Bytes] finds it again: up to MaxSlot bytes it is a slot of a slab, above a run of
// pages. All Refs of a Heap together address 32 GiB. [Heap.AllocPages] answers with pages that have no Ref and
// count toward no such bound: segments of arenas.
//
// What a caller may rely on:
//
//   - Memory does not move. It has whatever content its last user left, and is valid until freed or [Heap.Close].
//     The Go heap must not be referred to from it: the garbage collector does not look here.
//   - InUse is exact: the sum of Size over what is allocated. Mapped is what the system may have given physical
//     memory for, the Heap's own tables included (21 bytes for each 4 KiB), and never more than Options.Limit.
//   - Memory that is freed goes back to the system as soon as whole pages of it are free, but for a reserve
//     that keeps alternating users from paying the system each time: of memory with Refs and of each 16 GiB of pages
//     without, 1 MiB and 1/32 of what is in use. [Heap.Trim] gives that back too, after which a Heap with
//     nothing allocated has mapped nothing. With Options.HugePages only 2 MiB that are free as a whole go back, and the
//     reserve is at least that. Slots do not move, so a slab with one slot in use keeps its pages.
//   - All methods but Close may be called by any number of goroutines. Who may write to an allocation when is
//     the callers' affair, as with any memory, except that the race detector does not see it.
//
// Using memory that was freed, freeing it twice or writing past its capacity by means of package unsafe corrupts
// other allocations. The build tag invariants makes these panic where they happen, or at the next operation that
// meets the damage, at some cost in time and memory; freeing what never was allocated panics in most cases
// without it.
//
// On Linux and other Unix systems memory is mapped. Elsewhere a Heap works inside slices of bytes of limited size, and
// what is freed is reused but goes back to the system only with the Heap.
package slab
