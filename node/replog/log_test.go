package replog

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"
)

// content is what the log has at an offset, in these tests.
func content(offset int64) byte { return byte(offset*2654435761>>7) ^ byte(offset) }

func fill(l *Log, n int) {
	_, end := l.Range()
	b := make([]byte, n)
	for i := range b {
		b[i] = content(end + int64(i))
	}
	l.Append(b[:n/2], b[n/2:])
}

// drain reads all there is and checks it.
func drain(t *testing.T, r *Reader) (n int64) {
	t.Helper()
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	for {
		at := r.Offset()
		b, err := r.Next(ended)
		if errors.Is(err, context.Canceled) {
			return n
		}
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range b {
			if c != content(at+int64(i)) {
				t.Fatalf("wrong byte at offset %d", at+int64(i))
			}
		}
		n += int64(len(b))
	}
}

func TestReadersSeeTheSame(t *testing.T) {
	l := New(1000, 1<<20)
	early, err := l.Read(1000, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer early.Close()
	fill(l, 10)
	late, err := l.Read(1007, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer late.Close()
	fill(l, 3*chunkBytes)
	if n := drain(t, early); n != 10+3*chunkBytes {
		t.Errorf("the early reader got %d bytes", n)
	}
	if n := drain(t, late); n != 3+3*chunkBytes {
		t.Errorf("the late reader got %d bytes", n)
	}
}

func TestForgets(t *testing.T) {
	l := New(0, 2*chunkBytes)
	for range 100 {
		fill(l, chunkBytes/3)
	}
	start, end := l.Range()
	if kept := end - start; kept < 2*chunkBytes || kept > 4*chunkBytes {
		t.Errorf("%d bytes can be read", kept)
	}
	if b := l.Bytes(); b > 5*chunkBytes {
		t.Errorf("takes %d bytes", b)
	}
	for _, offset := range []int64{-1, 0, start - 1, end + 1} {
		if _, err := l.Read(offset, 0); !errors.Is(err, ErrGone) {
			t.Errorf("offset %d of %d to %d: %v", offset, start, end, err)
		}
	}
	for _, offset := range []int64{start, end} {
		r, err := l.Read(offset, 0)
		if err != nil {
			t.Fatal(err)
		}
		if n := drain(t, r); n != end-offset {
			t.Errorf("%d bytes from %d on", n, offset)
		}
		r.Close()
	}
	l.SetKeep(0)
	if start, end := l.Range(); end-start >= chunkBytes {
		t.Errorf("keeps %d bytes of none", end-start)
	}
}

func TestSlowReaders(t *testing.T) {
	l := New(0, chunkBytes)
	patient, _ := l.Read(0, 10*chunkBytes)
	hasty, _ := l.Read(0, 0)
	defer patient.Close()
	defer hasty.Close()
	fill(l, 8*chunkBytes)
	if _, err := hasty.Next(context.Background()); !errors.Is(err, ErrOverrun) {
		t.Errorf("a reader without patience: %v", err)
	}
	if n := drain(t, patient); n != 8*chunkBytes {
		t.Errorf("a patient reader got %d bytes", n)
	}
	fill(l, 20*chunkBytes)
	if _, err := patient.Next(context.Background()); !errors.Is(err, ErrOverrun) {
		t.Errorf("too late: %v", err)
	}
	if b := l.Bytes(); b > 5*chunkBytes {
		t.Errorf("what nobody may read takes %d bytes", b)
	}
}

// Bytes that were given out stay as they are until the reader asks for more, however much is appended.
func TestGivenOutBytesStay(t *testing.T) {
	l := New(0, 0)
	r, _ := l.Read(0, 0)
	defer r.Close()
	fill(l, chunkBytes/2)
	b, err := r.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	before := bytes.Clone(b)
	fill(l, 10*chunkBytes)
	if !bytes.Equal(b, before) {
		t.Error("they changed")
	}
}

func TestClosedReader(t *testing.T) {
	l := New(0, 0)
	r, _ := l.Read(0, 1<<30)
	fill(l, 4*chunkBytes)
	r.Close()
	r.Close()
	if _, err := r.Next(context.Background()); !errors.Is(err, ErrClosed) {
		t.Error(err)
	}
	if b := l.Bytes(); b > 2*chunkBytes {
		t.Errorf("holds %d bytes for it", b)
	}
}

// Appenders and readers together: every reader gets every byte, in order, and parts stay together.
func TestConcurrentUse(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	l := New(0, chunkBytes)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	const writers, each = 4, 5000
	var wg sync.WaitGroup
	results := make([][]byte, 3)
	for i := range results {
		r, err := l.Read(0, 1<<30)
		if err != nil {
			t.Fatal(err)
		}
		wg.Go(func() {
			defer r.Close()
			last := fmt.Appendf(nil, "end;")
			for !bytes.HasSuffix(results[i], last) {
				b, err := r.Next(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				results[i] = append(results[i], b...)
			}
		})
	}
	var appending sync.WaitGroup
	for w := range writers {
		appending.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(w)))
			for i := range each {
				word := fmt.Appendf(nil, "%d:%d;", w, i)
				cut := rng.IntN(len(word))
				l.Append(word[:cut], word[cut:])
			}
		})
	}
	appending.Wait()
	end := l.Append([]byte("end;"))
	wg.Wait()
	next := [writers]int{}
	for word := range bytes.SplitSeq(bytes.TrimSuffix(results[0], []byte("end;")), []byte(";")) {
		if len(word) == 0 {
			continue
		}
		var w, i int
		if _, err := fmt.Sscanf(string(word), "%d:%d", &w, &i); err != nil || i != next[w] {
			t.Fatalf("%q where writer %d is at %d", word, w, next[w])
		}
		next[w]++
	}
	for i := range results {
		if int64(len(results[i])) != end || !bytes.Equal(results[i], results[0]) {
			t.Errorf("reader %d got other bytes", i)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	l := New(0, 1<<20)
	r, _ := l.Read(0, 1<<62)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() {
		defer r.Close()
		for {
			if _, err := r.Next(ctx); err != nil {
				return
			}
		}
	})
	effect := []byte("*4\r\n$4\r\nZADD\r\n$5\r\nboard\r\n$4\r\n1234\r\n$12\r\nplayer:00001\r\n")
	b.SetBytes(int64(len(effect)))
	for b.Loop() {
		l.Append(effect)
	}
	cancel()
	wg.Wait()
}
