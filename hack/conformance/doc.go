// Command conformance runs the Tcl suite that a real server publishes against
// the node, and says for each of its tests: passed, skipped for a stated
// reason, or failed.
//
//	hack/conformance/run.sh [flags] [UNIT ...]      e.g. run.sh unit/expire
//
// The suite comes from Debian's source package (fetch.sh) and stays in the
// user's cache; nothing of it is part of this repository. It was written for a
// server with every data type, modules and a fork: skips.txt lists, by reason,
// the tests that ask for what this server is not. "It fails" is no reason: a
// test that fails and is not listed fails the run. One class is found while
// running: a failed test to which the node had to answer "this server holds
// sorted sets only" needs another data type.
//
// Most tests want another type only for its simplest value: they SET a key to
// see it expire. A file with such tests runs a second time, with sorted sets in
// the place of these values (standin.tcl), and the results of the tests that
// standins.txt lists count: a real server passes them in this form.
//
// How it works: shim.tcl replaces the suite's orchestration, session.go drives
// one file of the suite through it, host.go starts the servers, verdict.go
// decides what each outcome means, report.go writes the tables. A test that
// hangs or kills the node costs itself only: the session is ended and continued
// behind it.
package main
