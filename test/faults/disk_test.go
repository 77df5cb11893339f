//go:build linux && faults

package faults

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/test/faults/recorder"
)

// command runs a program, which is to succeed.
func command(t *testing.T, name string, args ...string) {
	t.Helper()
	must(t, try(name, args...))
}

func try(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// mounted is a folder that something is mounted on until the test ends; without the right to mount the test is skipped.
func mounted(t *testing.T, args ...string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("mounting needs root")
	}
	dir := filepath.Join(t.TempDir(), "disk")
	must(t, os.Mkdir(dir, 0o755))
	if err := try("mount", append(args, dir)...); err != nil {
		t.Skip(err)
	}
	t.Cleanup(func() {
		if err := try("umount", "--lazy", dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// image is a file with a file system that data is flushed to as to a disk, mounted until the test ends.
func image(t *testing.T) (dir, file string) {
	t.Helper()
	if _, err := exec.LookPath("mkfs.ext4"); err != nil {
		t.Skip(err)
	}
	file = filepath.Join(t.TempDir(), "image")
	command(t, "truncate", "--size", "64M", file)
	command(t, "mkfs.ext4", "-q", file)
	return mounted(t, "-o", "loop", file), file
}

func TestDiskIsFull(t *testing.T) {
	for _, fsync := range []string{"always", "everysec"} {
		t.Run(fsync, func(t *testing.T) {
			if fsync == "always" {
				ours(t) // others end themselves
			}
			random := choices(t)
			dir := mounted(t, "-t", "tmpfs", "-o", "size=6m", "zset-faults")
			ballast := filepath.Join(dir, "ballast")
			must(t, os.WriteFile(ballast, make([]byte, 3<<20), 0o644))
			s := run(t, Config{Dir: dir, Args: appending(fsync, "--auto-aof-rewrite-percentage", "0")})
			o := recording(t, s, random, "recorded")
			o.Writers = 3
			r := recorder.Start(o)
			t.Cleanup(r.Stop)
			must(t, r.AwaitFailures(limited(t), 300))
			status, err := s.Info(limited(t), "persistence", "aof_last_write_status")
			must(t, err)
			if status != "err" {
				t.Errorf("with a full disk INFO says aof_last_write_status:%s", status)
			}
			if err := s.Client().ZScore(limited(t), "nothing", "nobody").Err(); err == nil || err.Error() != "redis: nil" {
				t.Errorf("a read while the disk is full: %v", err)
			}
			acknowledged := r.Acknowledged()
			must(t, r.AwaitFailures(limited(t), 300))
			if fsync == "always" && r.Acknowledged() > acknowledged+int64(o.Writers*o.Pipeline) {
				t.Errorf("%d writes were acknowledged while the disk was full", r.Acknowledged()-acknowledged)
			}
			failures := r.Errors()
			must(t, os.Remove(ballast))
			must(t, r.Await(limited(t), 1000)) // it recovers
			must(t, s.Until(limited(t), "writes again", func() (bool, error) {
				status, err := s.Info(limited(t), "persistence", "aof_last_write_status")
				return status == "ok", err
			}))
			must(t, r.AwaitFailures(limited(t), 300)) // it is full again
			at := time.Now()
			s.Kill()
			r.Stop()
			command(t, "mount", "-o", "remount,size=64m", dir)
			s = again(t, s)
			v := judged(t, r, s)
			if fsync == "always" && v.Lost > 0 || v.RefusedThere > 0 || v.Reordered > 0 || v.Phantoms > 0 || v.Torn > 0 {
				t.Errorf("%v, the oldest acknowledged %v before the kill; errors: %v", v, v.LostSince(at), failures)
			}
			add("disk full twice, killed while full, appendfsync "+fsync, 1, v, "errors: "+said(failures))
		})
	}
}

// said are the kinds of errors, by their first words.
func said(failures map[string]int) string {
	kinds := map[string]bool{}
	for text := range failures {
		word, _, _ := strings.Cut(text, " ")
		kinds[word] = true
	}
	var words []string
	for w := range kinds {
		words = append(words, w)
	}
	return strings.Join(words, ", ")
}

// TestFolderIsReadOnly has new files refused while those that are open can be written, and then all writes refused to a server that starts.
func TestFolderIsReadOnly(t *testing.T) {
	random := choices(t)
	dir := mounted(t, "-t", "tmpfs", "-o", "size=256m", "zset-faults")
	s := run(t, Config{Dir: dir, Args: appending("always")})
	r := recorder.Start(recording(t, s, random, "recorded"))
	t.Cleanup(r.Stop)
	must(t, r.Await(limited(t), 1000))
	folder := filepath.Join(dir, "appendonlydir")
	if err := try("chattr", "+i", folder); err != nil {
		t.Skip(err)
	}
	rewritten := func(want string) {
		t.Helper()
		_ = s.Client().BgRewriteAOF(limited(t)).Err() // it may fail at once or later
		must(t, s.Until(limited(t), "has tried to rewrite: "+want, func() (bool, error) {
			status, err := s.Info(limited(t), "persistence", "aof_last_bgrewrite_status")
			return status == want, err
		}))
	}
	if system.Ours() { // others say nothing of it here
		rewritten("err")
	}
	must(t, r.Await(limited(t), 1000))
	command(t, "chattr", "-i", folder)
	rewritten("ok")
	must(t, r.Await(limited(t), 1000))
	s.Kill()
	r.Stop()
	command(t, "mount", "-o", "remount,ro", dir)
	refused := begin(t, s.Config)
	select {
	case <-refused.Ended():
	case <-time.After(patience):
		t.Error("it runs, with a disk that it cannot write to")
	}
	command(t, "mount", "-o", "remount,rw", dir)
	s = again(t, s)
	v := judged(t, r, s)
	if !v.Faultless() {
		t.Error(v)
	}
	add("folder read-only in a rewrite, disk read-only at the start", 1, v, "")
}

// TestDiskFails has a disk fail under a file system, as one does that promised more than it has.
func TestDiskFails(t *testing.T) {
	random := choices(t)
	thin := mounted(t, "-t", "tmpfs", "-o", "size=24m", "zset-faults")
	file := filepath.Join(thin, "image")
	command(t, "truncate", "--size", "256M", file)
	command(t, "mkfs.ext4", "-q", file)
	dir := mounted(t, "-o", "loop", file)
	s := run(t, Config{Dir: dir, Args: appending("always", "--auto-aof-rewrite-percentage", "0")})
	r := recorder.Start(recording(t, s, random, "recorded"))
	t.Cleanup(r.Stop)
	must(t, r.Await(limited(t), 1000))
	ballast, err := os.Create(filepath.Join(thin, "ballast"))
	must(t, err)
	for err == nil {
		_, err = ballast.Write(make([]byte, 4<<10))
	}
	must(t, ballast.Close())
	must(t, r.AwaitFailures(limited(t), 100))
	failures := r.Errors()
	s.Kill()
	r.Stop()
	must(t, os.Remove(ballast.Name()))
	command(t, "umount", dir)
	command(t, "mount", "-o", "remount,size=256m", thin)
	if err := try("e2fsck", "-fy", file); err != nil {
		t.Log(err) // that it has mended something
	}
	command(t, "mount", "-o", "loop", file, dir)
	s = again(t, s)
	v := judged(t, r, s)
	if !v.Faultless() {
		t.Errorf("%v; errors: %v", v, failures)
	}
	add("disk fails under load, appendfsync always", 1, v, "errors: "+said(failures))
}

// TestPowerCut looks at the disk as it is at a moment: what was not flushed is not on it.
func TestPowerCut(t *testing.T) {
	for _, c := range []struct {
		fsync       string
		short, long int
	}{{"always", 3, 40}, {"everysec", 2, 20}} {
		t.Run(c.fsync, func(t *testing.T) {
			random := choices(t)
			var all recorder.Verdict
			var longest time.Duration
			n, losing := runs(c.short, c.long), 0
			for i := range n {
				var v recorder.Verdict
				var lost time.Duration
				if !t.Run(fmt.Sprint(i), func(t *testing.T) { v, lost = powerCut(t, random, c.fsync) }) { // which ends its mounts
					return
				}
				if !v.Consistent() || c.fsync == "always" && v.Lost > 0 || lost > window {
					t.Fatalf("run %d: %v, the oldest acknowledged %v before the cut", i, v, lost)
				}
				if v.Lost > 0 {
					losing++
				}
				all.Add(v)
				longest = max(longest, lost)
				progress(t, i, n, 10)
			}
			measured := ""
			if losing > 0 {
				measured = "lost some in " + plural(losing, "run") + ", at most since " + ms(longest) + " before the cut"
			}
			add("power cut under load, appendfsync "+c.fsync, n, all, measured)
		})
	}
}

func powerCut(t *testing.T, random *rand.Rand, fsync string) (v recorder.Verdict, lost time.Duration) {
	t.Helper()
	dir, file := image(t)
	s := run(t, Config{Dir: dir, Args: appending(fsync)})
	o := recording(t, s, random, "recorded")
	writes := int64(8_000)
	if fsync != "always" {
		writes, o.Rate = 40_000, 20_000 // over some seconds
	}
	r := recorder.Start(o)
	t.Cleanup(r.Stop)
	must(t, r.Await(limited(t), 1+random.Int64N(writes)))
	at := time.Now()
	s.Kill()
	after := filepath.Join(t.TempDir(), "image")
	command(t, "cp", "--sparse=always", file, after)
	r.Stop()
	c := s.Config
	c.Dir, c.Addr = mounted(t, "-o", "loop", after), ""
	s = run(t, c)
	v = judged(t, r, s)
	s.Kill()
	return v, v.LostSince(at)
}
