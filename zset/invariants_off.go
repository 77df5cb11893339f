//go:build !invariants

package zset

const invariants = false
