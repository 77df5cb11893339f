// Package insync keeps the list of the replicas that a synchronous primary waits for: those that have everything it
// acknowledged, so that any of them may take its place.
//
//	candidate ──► joining ──► listed ──► leaving ──► candidate, or gone
//	             waited for   waited for  waited for
//	                     │       ▲    │         ▲
//	                     └ Keeper┘    └ Keeper ─┘
//
// The list is written down by a Keeper, by whose word replicas may become primary. So the order matters:
//
//   - Who is to be on it is waited for first, and gets on it once it has all that was acknowledged until then.
//   - Who is to go, since it has not confirmed in time, is waited for until the keeper said that it is off. A keeper that
//     fails, or whose answer got lost, may have either list, and then both are waited for.
//
// It follows that everybody on the keeper's list has everything that was acknowledged, at any moment.
//
// List decides this and does nothing else: it reads no clock and waits for nobody. Watch lets it decide and does as it says.
package insync
