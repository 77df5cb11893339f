// Package persist keeps the data on disk, in the ecosystem's form: dump.rdb, and a folder with a base (an RDB file), files of
// commands that were appended since, and a manifest that says which of them count.
//
//	replog.Log ──► appender ──► appendonly.aof.N.incr.aof      one goroutine, many changes in one fsync
//	                 │ confirms
//	                 ▼
//	          Confirmations.Disk ──► gate: replies of writes with appendfsync always
//
//	keyspace ──► Saver ──► base, dump.rdb                      while everything goes on changing
//	files ──► Store.Load: Loader (keys), Replay (commands)     at the start
//
// A Store does all of it (store.go): what is written anew (rewrite.go), saved (dump.go) and when (plan.go); what becomes of a disk that
// fails (trouble.go); what is loaded, and where damage is cut off (recover.go, damage.go). A Folder (folder.go) knows which files count. Files say
// where in the log they are (stream.go).
//
// # Promises
//
//   - A crash at any point leaves files that can be loaded: each step that replaces some is one rename of a manifest or a file.
//   - Nothing is confirmed that is not on disk, as part of files that count. After a failed fsync that is nothing, until all is
//     written anew.
//   - Nobody waits for the disk while he holds keys. The log waits in memory for a disk that is behind, up to a bound at which
//     writers wait, and then are refused.
//   - What is written while keys change is good together with what was logged meanwhile, and counts only once that is on disk, too.
package persist
