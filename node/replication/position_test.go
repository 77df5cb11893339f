package replication

import (
	"testing"

	"zset.dev/operator/node/replog"
)

func TestMarks(t *testing.T) {
	m := marks{before: 2}.with(2, 50).with(3, 100).with(3, 150).with(7, 200)
	for offset, epoch := range map[int64]int64{1: 2, 50: 2, 99: 2, 100: 3, 199: 3, 200: 7, 1000: 7} {
		if got := m.at(offset); got != epoch {
			t.Errorf("the byte before %d is of epoch %d, want %d", offset, got, epoch)
		}
	}
	for i := range int64(2 * marksKept) {
		next := m.with(10+i, 300+i)
		if before := m.at(1000); before == 10+i || next.at(1000) != 10+i {
			t.Fatalf("with another mark %d became %d, and was %d before", before, next.at(1000), 10+i)
		}
		m = next
	}
	if len(m.all) != marksKept || m.at(1) < 7 {
		t.Errorf("%d marks, and what is before them is of epoch %d", len(m.all), m.at(1))
	}
}

// The position's epoch is that of the last byte: of a primary from the mark on that it begins with, of a replica from when that has
// come to it.
func TestPosition(t *testing.T) {
	w := newWorld()
	at := func(epoch, offset int64) {
		t.Helper()
		if got := w.Position(); got != (Position{epoch, offset}) || !w.Whole() {
			t.Errorf("position %+v, whole %v; want %d, %d", got, w.Whole(), epoch, offset)
		}
	}
	at(0, 0)
	w.Follow()
	w.SawEpoch(4)
	at(0, 0) // of whom it is about to follow says nothing
	w.Part()
	if w.Whole() {
		t.Error("part of a file is called the whole")
	}
	w.Adopt(replog.History{ID: "a"}, 100, 3)
	at(3, 99)
	end := w.Log().Append([]byte("12345"))
	w.Mark(4, end)
	at(4, 104)
	if got := w.EpochAt(end - 1); got != 3 {
		t.Errorf("what is before the mark is of epoch %d", got)
	}

	w.SawEpoch(5)
	reader := w.Log().Tail(1 << 20)
	defer reader.Close()
	w.Promote()
	mark := string(replog.Command("PING", "zset epoch=5 run-id="+w.RunID()))
	if b, err := reader.Some(); string(b) != mark {
		t.Errorf("a primary begins with %q, %v", b, err)
	}
	at(5, 104+int64(len(mark)))
	w.Promote()
	at(5, 104+int64(len(mark)))
	w.SawEpoch(9)
	w.Promote() // it was primary, and holds the record in another epoch now
	at(9, 104+2*int64(len(mark)))
}
