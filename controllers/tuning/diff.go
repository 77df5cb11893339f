package tuning

import "strconv"

// Diff returns the directives that a node does not have as wanted, in the order of want. have is what the node answered
// to CONFIG GET; a directive it did not answer is different.
func Diff(want List, have map[string]string) List {
	var different List
	for _, d := range want {
		if value, ok := have[d.Name]; !ok || !same(d.Name, d.Value, value) {
			different = append(different, d)
		}
	}
	return different
}

// same compares by meaning where texts may differ: "0.250" and "0.25" are one p, while "1/e" is only itself.
func same(name, a, b string) bool {
	if a == b {
		return true
	}
	switch name {
	case SkipListP:
		x, errX := strconv.ParseFloat(a, 64)
		y, errY := strconv.ParseFloat(b, 64)
		return errX == nil && errY == nil && x == y
	case SkipListMaxLevel, SkipListBlock, ListpackEntries, ListpackValue, MaxMemory, MaxMemoryClients, MinSyncReplicas, ShardSize:
		x, errX := strconv.ParseInt(a, 10, 64)
		y, errY := strconv.ParseInt(b, 10, 64)
		return errX == nil && errY == nil && x == y
	}
	return false
}
