package lease

import (
	"fmt"
	"time"
)

// Timing is how long who waits for what.
type Timing struct {
	Duration time.Duration // a record that did not change for so long, by the clock of who looks, has expired
	Deadline time.Duration // a holder acknowledges for so long after the start of its last renewal
	Retry    time.Duration // between renewals, and between attempts

	// Straggler is how long a node that is no elector waits for expected pods that run no process: one may have the better
	// copy on its disk.
	Straggler time.Duration

	// Unclean lets a node that is no elector claim after so long without a reachable elector, although one may
	// exist; 0 is never. What only electors have is lost then.
	Unclean time.Duration
}

// DefaultTiming is what a ZSetCluster has that says nothing else.
func DefaultTiming() Timing {
	return Timing{Duration: 6 * time.Second, Deadline: 4 * time.Second, Retry: time.Second, Straggler: 30 * time.Second}
}

// Validate says what does not fit together. Clocks may differ in rate by what Duration has beyond Deadline.
func (t Timing) Validate() error {
	switch {
	case t.Retry <= 0:
		return fmt.Errorf("lease: the retry period is %v, but must be more than 0", t.Retry)
	case t.Deadline < 2*t.Retry:
		return fmt.Errorf("lease: the renew deadline is %v, but must be at least two retry periods (%v): one lost request would end a primary", t.Deadline, 2*t.Retry)
	case t.Duration*4 < t.Deadline*5:
		return fmt.Errorf("lease: the lease duration is %v, but must be at least 1.25 times the renew deadline (%v)", t.Duration, t.Deadline*5/4)
	case t.Straggler < 0:
		return fmt.Errorf("lease: the wait for stragglers is %v, but must not be negative", t.Straggler)
	case t.Unclean != 0 && t.Unclean < 2*t.Duration:
		return fmt.Errorf("lease: unclean failover is set to %v, but must be 0 (never) or at least twice the lease duration (%v)", t.Unclean, 2*t.Duration)
	}
	return nil
}

// fraction is the part of a wait of others that a holder may use, so that clocks may differ in rate.
func (t Timing) fraction(wait time.Duration) time.Duration {
	return time.Duration(float64(wait) * float64(t.Deadline) / float64(t.Duration))
}
