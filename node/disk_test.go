package node

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"zset.dev/operator/node/config"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/persist"
)

// testDisk is the system's, with what a test does to it.
type testDisk struct {
	persist.System
	after  func()                       // called behind each change, if not nil
	fail   atomic.Pointer[func() error] // what a write fails with, if not nil
	noSync atomic.Pointer[error]        // what an fsync fails with, likewise

	mu     sync.Mutex
	synced map[string]int64 // guarded by mu; bytes of each file that are on disk
}

type testHandle struct {
	persist.Handle
	disk *testDisk
	name string
}

func (d *testDisk) changed(err error) error {
	if err == nil && d.after != nil {
		d.after()
	}
	return err
}

func (d *testDisk) Open(name string, flag int) (persist.Handle, error) {
	h, err := d.System.Open(name, flag)
	if err != nil {
		return nil, err
	}
	if flag&os.O_TRUNC != 0 {
		d.mu.Lock()
		if d.synced == nil {
			d.synced = map[string]int64{}
		}
		d.synced[name] = 0
		d.mu.Unlock()
		d.changed(nil)
	}
	return &testHandle{h, d, name}, nil
}

func (d *testDisk) Rename(from, to string) error {
	err := d.System.Rename(from, to)
	if err == nil {
		d.mu.Lock()
		if size, known := d.synced[from]; known {
			d.synced[to] = size
			delete(d.synced, from)
		}
		d.mu.Unlock()
	}
	return d.changed(err)
}

func (d *testDisk) Remove(name string) error { return d.changed(d.System.Remove(name)) }

func (h *testHandle) Write(b []byte) (int, error) {
	if fail := h.disk.fail.Load(); fail != nil {
		n, _ := h.Handle.Write(b[:len(b)/2]) // as a full disk does
		return n, (*fail)()
	}
	n, err := h.Handle.Write(b)
	return n, h.disk.changed(err)
}

func (h *testHandle) Sync() error {
	if err := h.disk.noSync.Load(); err != nil {
		return *err
	}
	if err := h.Handle.Sync(); err != nil {
		return err
	}
	size, err := h.Size()
	if err != nil {
		return err
	}
	h.disk.mu.Lock()
	if _, known := h.disk.synced[h.name]; known {
		h.disk.synced[h.name] = size
	}
	h.disk.mu.Unlock()
	return h.disk.changed(nil)
}

// copyTo copies a folder as a crash leaves it: with all that was written, or, after a power cut, all that was synced.
func (d *testDisk) copyTo(t *testing.T, from, to string, powerCut bool) {
	err := filepath.WalkDir(from, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // it has gone just now
		}
		name, _ := filepath.Rel(from, path)
		if e.IsDir() {
			return os.MkdirAll(filepath.Join(to, name), 0o755)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		d.mu.Lock()
		size, known := d.synced[path]
		d.mu.Unlock()
		if powerCut && known && size < int64(len(content)) {
			content = content[:size]
		}
		return os.WriteFile(filepath.Join(to, name), content, 0o644)
	})
	if err != nil {
		t.Error(err)
	}
}

// A crash at any moment, in the midst of a rewrite too, leaves a folder with all that was acknowledged, and nothing but a beginning
// of what was sent.
func TestCrashAtEachPoint(t *testing.T) {
	type moment struct {
		dir   string
		acked int64
	}
	dir, copies := t.TempDir(), t.TempDir()
	var acked atomic.Int64
	var moments []moment
	disk := &testDisk{}
	var mu sync.Mutex // of moments
	disk.after = func() {
		mu.Lock()
		defer mu.Unlock()
		for _, powerCut := range []bool{false, true} {
			m := moment{filepath.Join(copies, fmt.Sprint(len(moments))), acked.Load()}
			disk.copyTo(t, dir, m.dir, powerCut)
			moments = append(moments, m)
		}
	}
	s := startWith(t, Options{Disk: disk}, "--dir", dir, "--appendonly", "yes", "--appendfsync", "always")
	w := dial(t, s.addr)
	write := func(n int) {
		for range n {
			i := acked.Load()
			w.expect("*2\r\n:1\r\n:1\r\n", "EVAL", "return {redis.call('ZADD', 'a', ARGV[1], ARGV[1]), redis.call('ZADD', 'b', ARGV[1], ARGV[1])}", "2", "a", "b", fmt.Sprint(i))
			acked.Add(1)
		}
	}
	write(3)
	for range 2 {
		w.expect("+Background append only file rewriting started\r\n", "BGREWRITEAOF")
		write(4)
		eventually(t, "it is rewritten", func() bool { return strings.Contains(w.do("INFO", "persistence"), "aof_rewrite_in_progress:0") })
	}
	s.stop()
	sent := acked.Load()
	for i, m := range moments {
		all, err := loaded(t, m.dir)
		if err != nil {
			t.Fatalf("moment %d cannot be loaded: %v", i, err)
		}
		if n := int64(len(all["a"])); n < m.acked || n > sent || !maps.Equal(all["a"], all["b"]) || n > 0 && !all["a"][fmt.Sprint(n-1)] {
			t.Errorf("moment %d: %d writes were acknowledged, there are %v", i, m.acked, all)
		}
	}
	t.Logf("%d moments", len(moments))
}

// loaded is the members of each key in a folder, as a node loads it.
func loaded(t *testing.T, dir string) (map[string]map[string]bool, error) {
	t.Helper()
	settings, err := config.FromArgs([]string{"--port", "0", "--bind", "127.0.0.1", "--http-port", "0", "--dir", dir, "--appendonly", "yes"})
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(Options{Config: settings})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Start(); err != nil {
		return nil, err
	}
	defer closeAll(s.listeners)
	defer s.store.Close()
	if err := s.load(); err != nil {
		return nil, err
	}
	all := map[string]map[string]bool{}
	s.keyspace.Each(nil, s.now().UnixMilli(), func(e *keyspace.Entry) {
		members := map[string]bool{}
		for m := range e.Set().All() {
			members[string(m)] = true
		}
		all[e.Key()] = members
	})
	return all, nil
}

// While the disk is full, nothing is acknowledged that it does not keep, reads go on, and all goes on by itself once there is room.
func TestFullDisk(t *testing.T) { testTrouble(t, true) }

// A failed fsync leaves a file nobody can trust: everything is written anew.
func TestFailingSync(t *testing.T) { testTrouble(t, false) }

func testTrouble(t *testing.T, full bool) {
	dir := t.TempDir()
	disk := &testDisk{}
	s := startWith(t, Options{Disk: disk}, "--dir", dir, "--appendonly", "yes", "--appendfsync", "always")
	w := dial(t, s.addr)
	w.expect(":1\r\n", "ZADD", "before", "1", "m")
	noSpace, noSync := func() error { return syscall.ENOSPC }, error(syscall.EIO)
	text := "Input/output error"
	if full {
		disk.fail.Store(&noSpace)
		text = "No space left on device"
	} else {
		disk.noSync.Store(&noSync)
	}
	if got := w.do("ZADD", "doubtful", "1", "m"); !strings.HasPrefix(got, "-INDOUBT ") {
		t.Errorf("what cannot be kept is answered with %q", got)
	}
	eventually(t, "the failure is noted", func() bool { return s.store.Err() != nil })
	if got := w.do("ZADD", "refused", "1", "m"); !strings.EqualFold(got, "-MISCONF Errors writing to the AOF file: "+text+"\r\n") {
		t.Errorf("a write is answered with %q", got)
	}
	if got := w.do("EVAL", "return redis.call('ZADD', KEYS[1], 1, 'm')", "1", "refused"); !strings.HasPrefix(got, "-MISCONF ") {
		t.Errorf("a script that writes is answered with %q", got)
	}
	w.expect("*1\r\n$1\r\nm\r\n", "ZRANGE", "before", "0", "-1")
	if got := w.do("PING"); !strings.HasPrefix(got, "-MISCONF ") {
		t.Errorf("PING is answered with %q", got)
	}
	if got := w.do("INFO", "persistence"); !strings.Contains(got, "aof_last_write_status:err") {
		t.Error("INFO says that all is well")
	}
	disk.fail.Store(nil)
	disk.noSync.Store(nil)
	eventually(t, "writes are taken again", func() bool { return w.do("ZADD", "after", "1", "m") == ":1\r\n" })
	w.expect("*1\r\n$1\r\nm\r\n", "ZRANGE", "after", "0", "-1")
	s.stop()
	s = start(t, "--dir", dir, "--appendonly", "yes")
	w = dial(t, s.addr)
	w.expect(":2\r\n", "EXISTS", "before", "after", "refused")
}

// A save that fails stops writes where saves are asked for, until one works.
func TestFailingSave(t *testing.T) {
	disk := &testDisk{}
	s := startWith(t, Options{Disk: disk}, "--save", "3600", "1000000")
	w := dial(t, s.addr)
	noSpace := func() error { return syscall.ENOSPC }
	disk.fail.Store(&noSpace)
	if got := w.do("SAVE"); !strings.HasPrefix(got, "-ERR") {
		t.Errorf("SAVE on a full disk: %q", got)
	}
	if got := w.do("ZADD", "k", "1", "m"); !strings.HasPrefix(got, "-MISCONF Redis is configured to save RDB snapshots") {
		t.Errorf("a write is answered with %q", got)
	}
	w.expect("+OK\r\n", "CONFIG", "SET", "stop-writes-on-bgsave-error", "no")
	w.expect(":1\r\n", "ZADD", "k", "1", "m")
	w.expect("+OK\r\n", "CONFIG", "SET", "stop-writes-on-bgsave-error", "yes")
	disk.fail.Store(nil)
	w.expect("+OK\r\n", "SAVE")
	w.expect(":1\r\n", "ZADD", "k", "1", "n")
}
