// Package resp writes replies in RESP2 and RESP3 and reads the number texts
// that commands carry.
//
// It owns the bytes of a reply: which form a null, a map or a score takes in
// each protocol version, and the decimal text of a score. It decides nothing
// about commands and does no I/O. A connection owns one [Writer]; the text
// functions keep no state and are safe for any caller.
//
// What it promises: the bytes are those a real Redis or Valkey sends for the
// same value (but for the few scores named at [AppendScore]), a score reads
// the same wherever it is written, every finite score written by AppendScore
// reads back bit for bit by [ParseScore], and a Writer in steady state
// allocates nothing.
package resp
