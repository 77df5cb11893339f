package lease

import "time"

// Promise is asked by a primary of its electors, at now: not to campaign for Timing.Duration. It reports whether that is
// promised. The primary counts Timing.Deadline, from before it asked.
func (e *Election) Promise(now time.Duration, holder Identity, epoch int64) bool {
	switch {
	case e.leads, e.writing != nil, e.unknown:
		return false // what is under way may still make this node the primary
	case !e.known || e.record.Holder != holder || e.record.Epoch != epoch:
		return false
	}
	e.promised, e.promisedTo = now+e.timing.Duration, holder
	return true
}
