// Package tracking is which client has which keys in a cache on its side, and
// the delivery of invalidations.
//
// By default the table remembers the keys a client read, and forgets them
// with the one invalidation their next change sends. In broadcasting mode it
// remembers prefixes and sends every change of a key that begins with one.
// The table is bounded: beyond its limit keys are dropped, and their readers
// are told that they changed, so no cache is ever left with what it will not
// hear about.
//
// Remember runs while the key's partition is held by the reader, Invalidate
// while it is held by the writer, so nothing that was read can change unseen.
// Messages are pushed to outboxes; the package does no I/O.
package tracking
