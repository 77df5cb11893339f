package controllers

import "fmt"

// keep decides how many pods the StatefulSet is to have now that the spec asks for size and there are current, and why more
// than the spec asks for. Pods are added at once. They are taken away, those of the highest ordinals, only when none of them is
// primary, and when those that stay are as safe as they can be.
func (s *shard) keep(size, current int) (pods int, why string) {
	if current <= size {
		return size, ""
	}
	primary := s.primary()
	if primary == nil {
		if s.lease.vacant() && s.reported == 0 || s.first((*pod).alone) != nil {
			return size, ""
		}
		return current, fmt.Sprintf("no pod is taken away while shard %s has no primary that serves", s.name)
	}
	if primary.ordinal >= size {
		return current, fmt.Sprintf("pods are taken away once %s, which is one of them, has handed over", primary.name)
	}
	var staying, going int
	for i := range s.pods {
		switch p := &s.pods[i]; {
		case p == primary || !s.inSync(p):
		case p.ordinal < size:
			staying++
		default:
			going++
		}
	}
	if need := max(s.minSync, min(1, size-1)); staying < need && going > 0 {
		return current, fmt.Sprintf("pods are taken away once %d of the replicas that stay are in sync; %d are", need, staying)
	}
	return size, ""
}
