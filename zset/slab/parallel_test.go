package slab

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// Many goroutines use one Heap, and free what others allocated. Each plays a history of its own; what it hands on is
// checked by the one that gets it.
func TestParallel(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rounds := 3000
	if testing.Short() || invariants {
		rounds = 500
	}
	for _, o := range historyOptions {
		h := newHeap(t, o)
		handed := make(chan allocation, 256)
		var workers sync.WaitGroup
		for worker := range uint64(8) {
			workers.Go(func() {
				random := rand.New(rand.NewPCG(seed, worker))
				y := history{t: errorsOnly{t}, h: h, serial: worker << 48}
				for range rounds {
					y.step(byte(random.Uint32()), random.IntN(20), random.IntN(1<<16))
					y.exchange(handed)
				}
				for len(y.live) > 0 {
					y.free(len(y.live) - 1)
				}
			})
		}
		workers.Wait()
		close(handed)
		y := history{t: t, h: h}
		for a := range handed {
			y.live = append(y.live, a)
			y.free(0)
		}
	}
}

// exchange gives an allocation to the other goroutines, or takes one of theirs.
func (y *history) exchange(handed chan allocation) {
	if n := len(y.live); n > 0 {
		select {
		case handed <- y.live[n-1]:
			y.live = y.live[:n-1]
		default:
		}
	}
	select {
	case a := <-handed:
		y.live = append(y.live, a)
	default:
	}
}

// errorsOnly is a test seen from a goroutine other than its own, which must not end it.
type errorsOnly struct{ testing.TB }

func (e errorsOnly) Fatal(args ...any) { panic(args) }

func (e errorsOnly) Fatalf(format string, args ...any) {
	e.TB.Errorf(format, args...)
	panic(format)
}

func TestParallelTrim(t *testing.T) {
	h := newHeap(t, Options{})
	var workers sync.WaitGroup
	for worker := range uint64(4) {
		workers.Go(func() {
			for i := range 300 {
				b, err := h.AllocPages(int(worker+1) * 300 << 10)
				if err != nil {
					t.Error(err)
					return
				}
				write(b, worker)
				if i%3 == 0 {
					h.Trim()
				}
				if !intact(b, worker) {
					t.Error("pages were released under their user")
				}
				h.FreePages(b)
			}
		})
	}
	workers.Wait()
}
