// Package hashindex finds things by their hash. It is the index of a large sorted set, from member to record, and of a
// dictionary, from key to entry: it holds 32-bit refs, whose meaning is its owner's, and knows neither what they
// refer to nor their hashes. Methods that need a hash of what is already there take a Hasher, which the owner is.
//
// An Index is a number of tables, each for the hashes that begin with certain bits, found through a directory
// (extendible hashing). A table is a row of buckets of one cache line; within it, too, hashes lie in their order:
//
//	hash                   0110 1001110010101101 …
//	                       |--| |--------------|
//	                        |         |
//	        directory[0110] v         v fraction: × buckets of the table / 2^16 = home
//	        +----+----+----+----+  table  +------+------+------+------+------+
//	        |    |    |    |  ·-+-------> |      |      | home |      |      |
//	        +----+----+----+----+         +------+------+------+------+------+
//
//	bucket:
//	0          12         13                 16                           64
//	+----------+----------+------------------+-----------------------------+
//	| 12 tags  | overflow | displaced, ninth | 12 refs                     |
//	+----------+----------+------------------+-----------------------------+
//	                       12 bits each, one for each slot
//
// A tag is the lowest byte of the fraction, 1 instead of 0, which marks a free slot. What finds its home bucket full
// goes to the next one that is not, which says that it is displaced, and each bucket it passed counts that in
// overflow: a lookup goes on only behind a bucket that has some. A count that reaches its greatest stays there
// until the table is made anew.
//
// # What a caller may rely on
//
//   - Lookups. A Probe costs one cache line of a table, beside the directory's, for nine hashes of ten, and gives
//     false candidates seldom: the owner compares what a ref refers to anyway.
//   - No stops. A table grows in steps of an eighth of its size, and when it has tableBuckets becomes two: no Insert waits
//     for more than some 3,000 refs to move, however large the index is. It shrinks, and joins its neighbour, likewise.
//     Nine slots of ten are in use.
//   - Order. Hashes lie in their order, whatever the tables are, so a position among them is all that a scan has to
//     remember between calls, and what begins with certain bits can be scanned alone.
//   - Uneven hashes. Upper bits may have a meaning, say the slot of a key: tables are divided where hashes are. Down to
//     depthLimit bits, that is; what agrees in all of these, which even hashes do not until there are 2 billion, stays in
//     one table, whose steps grow with it, by some ten nanoseconds a ref, and whose tags tell less. With seven bits
//     given, that begins at some 17 million hashes that have them in common. The directory has an entry for each hash prefix as
//     long as the longest in use; to double it, at most from 2 to 4 MiB, is the one step that more than a table takes.
//   - Memory. Tables come from a memory.Source, directory and the tables' heads, 0.03 bytes a ref, from the Go heap.
//   - Goroutines. Any number may look up at a time, or one may change the index.
package hashindex
