// Package lease decides who of a shard's nodes is its primary.
//
// One record per shard, in Kubernetes a Lease, names the primary (the holder), how often that changed (the epoch) and the
// electors: the processes that hold the primary's data and follow it in sync. The record is changed by compare-and-swap.
//
//	           observed, ended, expired
//	standby ───────────────────────────────► claiming ──► primary, not established
//	   ▲                                        │                │ each elector follows in this epoch, or is off the list
//	   │ lost: somebody else holds the record   │                ▼
//	   └────────────────────────────────────────┴────────── primary, established
//
// Election is the decisions alone: a state machine that is told what happened and when, and says what to do. It has no
// clock, no goroutine and no network. Times are those of the process' monotonic clock, since any origin.
//
// # Promises
//
//   - Nobody acknowledges a write but the holder, before its deadline: that counts from the start of the last renewal that
//     succeeded, and is shorter than what others wait for.
//   - Past that deadline, when the API does not answer, the holder goes on only while every elector has promised not to
//     campaign, or when there is none beside itself.
//   - Only electors claim, as long as one of them may exist. So with synchronous replicas whoever wins has every
//     acknowledged write, if its primary waited for all that MustConfirm names.
//   - A write of the record whose answer was lost counts as made and as not made, whichever is worse.
//   - The epoch never goes back, whatever happens to the record.
package lease
