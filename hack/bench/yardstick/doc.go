// Package yardstick is the plain skip list that the engine is measured against: a node for each member in an
// arena, linked by 32-bit references, and a hash index over the nodes. It is the engine's own first layout,
// trimmed to what the benchmarks do, and stays as it is so that figures of different days can be compared.
//
// It promises order, ranks and exact accounting, nothing of the rest that zset promises: members are at most 64
// bytes, scores are numbers, and a list that has shrunk keeps its memory. Only the benchmarks may use it.
package yardstick
