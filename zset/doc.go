// Package zset is a sorted set: members, which are byte strings, each once and with a score, in the order of the
// scores and, where these tie, of the members' bytes. It is the engine of a cache server and a library of its own:
// it imports the standard library only, does no I/O, and keeps no state outside the sets.
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
// ListpackMaxValueBytes, becomes a skip list (skiplist.go):
//
//	           index                              skip list
//	member ──▶ hash ──▶ tag, ref ──┐     level 2  ●─────────────────────────▶ c ──▶ 0
//	                               │     level 1  ●───────────▶ b ──────────▶ c ──▶ 0
//	                               └──▶  level 0  ●────▶ a ───▶ b ───▶ … ───▶ c ──▶ 0
//
// A member is one node, found by its bytes through the index (index.go) and by its place through the list. Each
// link knows how many members it passes over, so ranks and ranges take O(log n) steps too. The node alone has
// the score (node.go): there is no second copy that could differ. Nodes lie in chunks of plain bytes and refer to
// each other by numbers of 32 bits (arena.go), so a set of ten million members is a few thousand objects to
// the garbage collector, with nothing in them to follow.
//
// Which encoding a set has makes no difference to any answer. All lookups by order are for a gap between members
// (bound.go), with the same meaning in both.
//
// # What a caller may rely on
//
//   - Costs. In a skip list Score takes constant time; Add, Remove, Rank, At, ByRank, ByScore and ByLex
//     logarithmic time; a walk begins where the lookup of its Range ended, without a second search, and takes
//     constant time for each member; RemoveRange cuts each level once and then takes constant time for each member.
//     In a listpack everything takes one walk, and every change moves the bytes behind it once.
//     Now and then an Add pays for a larger index, whose making takes time in proportion to the members, and a
//     removal for giving memory back, in proportion to those that are left.
//   - Memory. MemoryUsage is exact and asks nothing but a few counters. Growing takes steps of at most an eighth
//     for the members, a half for the index. What removals leave behind is given back before it exceeds what is in
//     use. A set that has lost its last member holds nothing. Release is how to say that a set is no longer needed.
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
// spans, index slots, blocks of memory, is counted again by check (check.go, check_skiplist.go); the build tag
// invariants has it run after every write:
//
//	go test -tags invariants ./zset
//	go test -fuzz FuzzSet ./zset
package zset
