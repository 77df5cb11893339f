package shard

import (
	"context"
	"errors"
	"fmt"

	"zset.dev/operator/node/lease"
)

// keeping is a list that somebody waits for.
type keeping struct {
	electors []lease.Identity
	done     chan error // has room
}

var (
	errSuperseded = errors.New("shard: another list was to be written meanwhile")
	errNotPrimary = errors.New("shard: this node does not hold the shard's record")
)

// Write implements insync.Keeper: who is named, by run, and this node are the electors. It returns once the record says so, and
// nothing that was to be written before can replace it.
func (m *Member) Write(ctx context.Context, runs []string) error {
	done := make(chan error, 1)
	if !m.call(ctx, func() {
		var electors []lease.Identity
		for _, run := range runs {
			id, known := m.identify(run)
			if !known {
				done <- fmt.Errorf("shard: no node of the shard is run %s", run)
				return
			}
			electors = append(electors, id)
		}
		m.answer(errSuperseded)
		m.inSync = electors
		m.keeping = &keeping{electors, done}
	}) {
		return errEnded
	}
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return fmt.Errorf("shard: the record was not written in time: %w", ctx.Err())
	}
}

// settle tells who waits for a list what became of it.
func (m *Member) settle() {
	switch k := m.keeping; {
	case k == nil:
	case !m.election.Leads():
		m.answer(errNotPrimary)
	case m.election.Keeps(k.electors):
		m.answer(nil)
	}
}

// answer is for who waits for a list, if somebody does.
func (m *Member) answer(err error) {
	if m.keeping != nil {
		m.keeping.done <- err
		m.keeping = nil
	}
}
