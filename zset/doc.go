// Package zset is a sorted set: members, which are byte strings, each with a score, a double; in order of score
// and, where scores tie, of the members' bytes.
package zset
