// Package zset is a sorted set: members, which are byte strings, each once and with a score, in the order of the
// scores and, where these tie, of the members' bytes. It is the engine of a cache server and a library of its own:
// it does no I/O, and keeps no state outside the sets.
//
//	board := zset.New(nil)
//	board.Add([]byte("ada"), 4200, 0)
//	board.Add([]byte("bob"), 100, zset.Incr)
//	for member, score := range board.Descend(board.ByRank(-10, -1)) { … }   // the ten best
//
// # Two encodings
//
// A set begins as a listpack, one block of bytes with the members packed in order (listpack.go). Each call walks
// along it, which for a hundred members takes less time than a cache miss or two, and a member costs a few bytes
// beside its own. A set that gets more members than Options.ListpackMaxEntries, or one longer than
// ListpackMaxValueBytes, becomes an unrolled skip list (skiplist.go), whose nodes are blocks of many members:
//
//	           index              records
//	member ──▶ hash ──▶ tag, ref ──┐     level 1  ●────────────────────────▶ ▐ … c … ──▶ end
//	                               │     level 0  ●───▶ ▐ a b … ──▶ ▐ … ───▶ ▐ … c … ──▶ end
//	                               └──▶  score, member ◀──────┘ refs in order
//
// A member and its score are one record (record.go), found by the member's bytes through the index (package
// hashindex) and by its place through the blocks (block.go). The record alone has the score; what else knows of it
// is derived and can be checked. Each link has a score that separates the members before from those behind it, so a search looks at no block
// that it does not enter, and knows how many members it passes over, so ranks and ranges take O(log n) steps too.
//
// All this lies in arrays of plain bytes and refers to itself by numbers of 32 bits: a set of ten million members is
// a few thousand objects to the garbage collector with nothing in them to follow, or, with a Memory outside the
// Go heap, less. A member of 20 bytes costs about 24 bytes beside its own, 22 when members came in order.
//
// Which encoding a set has makes no difference to any answer. All lookups by order are for a gap between members
// (bound.go), with the same meaning in both.
//
// # What a caller may rely on
//
//   - Costs. In a skip list Score takes constant time; Add, Remove, Rank, At, ByRank, ByScore and ByLex
//     logarithmic time; a walk, in either direction, begins where the lookup of its Range ended, without a second
//     search; RemoveRange cuts each level once and then takes constant time for each member; at either end Add and
//     RemoveRange search nothing, and a Filler nothing of what comes in order. In a listpack everything
//     takes one walk, and every change moves the bytes behind it once.
//   - No stops. The index grows by tables of bounded size, and memory that removals leave behind is given back in a few
//     steps with each write. Only Rebuild and a RemoveRange of more than half of the members take time in proportion to
//     those that stay.
//   - Memory. MemoryUsage is exact and asks nothing but a few counters. In the long run a set holds at most a third
//     more than what is in use. A set that has lost its last member holds nothing. Release is how to say that a set is
//     no longer needed; a set made by NewIn must be released.
//   - Limits. The records of a skip list take up to 4 GiB, of which a member longer than 32 KiB takes 16 bytes. A
//     write beyond that, or beyond what Memory has, returns ErrFull and changes no member.
//   - Numbers. Scores are doubles, infinities included, and read back bit for bit: -0 stays -0, and sorts with
//     +0. NaN never enters.
//   - Bad input. No argument makes a set panic: nil is the empty member, which is legal; ranks may lie outside;
//     a Range that is not of this set or no longer fresh is the ranks it says; Scan takes any cursor.
//   - Bytes handed out, by At, Scan and the walks, are the set's own. They are good until its next change and must
//     not be written to.
//   - Goroutines. Any number may read a set at a time, or one may change it. Sets share nothing but Tunings, which
//     never change.
//
// # For whoever changes this package
//
// Tests hold sets of both encodings against a plain model after each step of random histories (history_test.go),
// and play transcripts that are meant to be read (testdata/transcripts). What a set keeps about itself, links,
// spans, keys, index slots, pieces of memory, is counted again by check (check.go, check_skiplist.go); the build tag
// invariants has it run after every write, in large sets after some:
//
//	go test -tags invariants -short ./zset
//	go test -run TestSoak -soak 10000000 ./zset
//	go test -fuzz FuzzSet ./zset
package zset
