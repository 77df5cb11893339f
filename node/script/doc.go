// Package script runs users' Lua scripts: EVAL and its kin, without the
// commands themselves.
//
// An Engine compiles a script once, keeps it by its SHA-1, and runs it on one
// of a few Lua states that are used again. A script sees the libraries real
// servers give it (redis, cjson, cmsgpack, struct, bit, and the harmless parts
// of Lua's own) and nothing else: no files, no processes, no bytecode. Its
// globals cannot be changed, so nothing of one run is left for the next.
//
// What a script does outside of Lua it asks of its Host: to run a command, to
// write to the log. The package knows neither sockets nor keys.
//
// # Limits
//
//   - Time: a running script looks every few hundred instructions at whether
//     it has to stop (Control.Kill) and tells its Host once it has run for
//     longer than a threshold. pcall cannot catch the stop. A single call of a
//     pattern-matching function is not interrupted.
//   - Memory: every string a script makes, and every gap it leaves in an
//     array, is accounted before it is made. What is left, small tables, is
//     bounded by looking at how much the whole process has grown: that is best
//     effort. Above the limit the script ends with an error.
//   - Recursion: of Lua functions, of coroutines in coroutines, of nested
//     syntax, each is bounded.
//
// Concatenation and assignments to computed keys have no hook in the Lua
// library, so the compiler turns them into calls of functions of ours.
//
// Package command calls it.
package script
