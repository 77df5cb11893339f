//go:build invariants

package zset

// With the build tag invariants each write is followed by a check of the whole set, which takes time in
// proportion to its size, and a set found damaged panics.
const invariants = true
