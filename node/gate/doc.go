// Package gate decides when the reply of a write may leave: once what it acknowledges is kept by all who have to keep it.
//
//	execute ──► reply ──► Judge ──┬─ Leave: all required confirmed the write's offset
//	   ▲                    ▲     ├─ Wait:  Await wakes when there is news
//	   │ Refusal            │     └─ Doubt: an error instead, the write may be lost
//	   │                    │
//	may this node       replog.Confirmations: the disk (appendfsync always), replicas in sync (min-sync-replicas)
//	take writes now
//
// Before a write executes, the gate may refuse it. After that it has happened here, so all that can be said when it cannot be kept is
// that it is in doubt.
//
// A term is a time during which what is executed can be confirmed. It ends (Interrupt) when that is not so any more: too few
// replicas are left in sync, or the node is no primary now, so that an offset means something else. What was executed
// in an earlier term and has not been answered is in doubt. A caller reads the term before it executes.
//
// While nothing is required, On is all that is to be asked, and costs one atomic load. All methods may be called from
// any goroutine.
package gate
