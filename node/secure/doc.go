// Package secure makes connections that are encrypted with TLS, from files
// that may change while the node runs.
//
//	files ──read──► content ──build──► Material ──► Keeper.current ──► Server
//	  ▲                                                  ▲
//	  └── looked at every tls-auto-reload-interval       └── swapped whole, or not at all
//
// A Material is all that a handshake needs and never changes. A connection
// takes the one in use when it is accepted and keeps what it agreed on, so a
// new one never disturbs those there are. Files that cannot be used leave the
// old Material in use; Status tells, until they can.
//
// What counts is the content of files, not their times: Kubernetes swaps a
// Secret by a symbolic link, which changes neither of the file's own. A
// certificate read before its key was written does not fit it, so it fails to
// load, and the next look finds both.
//
// Sessions resumed by tickets end with the Material that made the tickets: a
// client whose authority was taken away has to show a certificate anew.
//
// The node's server is the caller: it starts one Keeper and has it watch.
package secure
