//go:build linux && faults

package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"
	"zset.dev/operator/test/faults/page"

	"zset.dev/operator/test/faults/recorder"
)

// What run.sh says; set before any test runs.
var (
	system Program // under test
	long   bool    // as many runs as the project promises
	seed   uint64
)

func TestMain(m *testing.M) {
	recorder.Quiet()
	system = Program{Name: os.Getenv("FAULTS_SYSTEM"), Path: os.Getenv("FAULTS_PROGRAM")}
	if system.Path == "" {
		fmt.Fprintln(os.Stderr, "FAULTS_PROGRAM is not set: run test/faults/run.sh")
		os.Exit(2)
	}
	long = os.Getenv("FAULTS_LONG") != ""
	seed = uint64(time.Now().UnixNano()) % 1_000_000
	if text := os.Getenv("FAULTS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			fmt.Fprintln(os.Stderr, "FAULTS_SEED:", err)
			os.Exit(2)
		}
	}
	fmt.Printf("system %s, FAULTS_SEED=%d\n", system.Name, seed)
	code := m.Run()
	fmt.Print(found.String())
	if path := os.Getenv("FAULTS_TABLE"); path != "" {
		if err := os.WriteFile(path, []byte(found.String()), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if path := os.Getenv("FAULTS_PAGE"); path != "" && code == 0 {
		if err := found.Write(path, "faults", fmt.Sprintf("%s, FAULTS_SEED=%d; %s.", page.Commit(), seed, page.Machine())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// patience is for what should take a moment, on however busy a machine.
const patience = time.Minute

// choices are the random ones of a test.
func choices(t *testing.T) *rand.Rand {
	h := seed
	for _, c := range t.Name() {
		h = h*31 + uint64(c)
	}
	t.Logf("FAULTS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, h))
}

// runs is how often something is done.
func runs(short, longer int) int {
	if long {
		return longer
	}
	return short
}

// ours skips what only this project's server promises.
func ours(t *testing.T) {
	t.Helper()
	if !system.Ours() {
		t.Skip("only the node promises this")
	}
}

// limited is a context for one step.
func limited(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

// run starts a server that is killed at the test's end, and waits until it is ready.
func run(t *testing.T, c Config) *Server {
	t.Helper()
	s := begin(t, c)
	must(t, s.Ready(limited(t)))
	return s
}

// begin starts a server that is killed at the test's end.
func begin(t *testing.T, c Config) *Server {
	t.Helper()
	if c.Dir == "" {
		c.Dir = t.TempDir()
	}
	s, err := Start(system, c)
	must(t, err)
	t.Cleanup(s.Kill)
	return s
}

// again starts a server again that was killed, and waits until it is ready.
func again(t *testing.T, s *Server, args ...string) *Server {
	t.Helper()
	c := s.Config
	c.Args = append(append([]string(nil), c.Args...), args...)
	return run(t, c)
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// judged is the verdict on what a server holds.
func judged(t *testing.T, r *recorder.Recorder, s *Server) recorder.Verdict {
	t.Helper()
	v, err := r.Judge(limited(t), s.Client())
	must(t, err)
	return v
}

// appending are the arguments for an append-only file.
func appending(fsync string, args ...string) []string {
	return append([]string{"--appendonly", "yes", "--appendfsync", fsync}, args...)
}

// progress says on standard output what a long test is doing; -v shows it as it comes.
func progress(t *testing.T, done, all int, every int) {
	if done%every == 0 && done > 0 {
		t.Logf("%d of %d", done, all)
	}
}

// copied copies a folder with its files.
func copied(t *testing.T, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	must(t, os.CopyFS(to, os.DirFS(from)))
	return to
}
