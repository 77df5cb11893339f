// Package recorder is a client that remembers what it was promised, and a judge that holds a server to it.
//
// Some writers, over go-redis, send writes numbered 1, 2, 3 … each on its own members, and one after another. A
// write says of one member that its score is the write's number, by ZADD or ZINCRBY, or that it is gone, by ZREM. So
// every state a member can be in names the write that made it:
//
//	write      1     2     3     4     5     6     7     8     9        members: 3
//	member     a     b     c     a     b     c     a     b     c
//	           =1    =2    =3    =4    gone  =6    =7    =8    =9
//	           acknowledged … … … … … … … … … … │ in doubt
//
// A write is acknowledged when its reply said so, refused when the reply was an error that promises that nothing was
// done, or when there was no connection, and else in doubt. A member with a write in doubt is not written again: a late
// copy of that write could come after a newer one. Which write does what follows from the seed.
//
// Judge compares what a server holds after a fault, and says which acknowledged writes are neither there nor
// superseded (lost), what is there that was never sent (phantom), or was refused, whether a write is missing that is older than one that is
// there (reordered), and which transactions are there in part (torn).
package recorder
