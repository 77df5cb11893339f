package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// units are the files of the suite that concern this server, in the order they
// run.
var units = strings.Fields(`
	unit/type/zset unit/geo unit/sort
	unit/keyspace unit/expire unit/scan unit/dump unit/lazyfree unit/fuzzer
	unit/protocol unit/querybuf unit/limits unit/networking unit/quit
	unit/auth unit/acl unit/acl-v2
	unit/multi unit/pubsub unit/pubsubshard unit/tracking unit/scripting unit/functions
	unit/introspection unit/introspection-2 unit/info unit/info-command
	unit/slowlog unit/commandlog unit/latency-monitor
	unit/pause unit/obuf-limits unit/memefficiency unit/oom-score-adj unit/maxmemory unit/client-eviction
	unit/other unit/wait integration/valkey-cli integration/valkey-benchmark
`)

func main() { os.Exit(run()) }

// run is the program: 0 when nothing failed, 1 when a test did, 2 when it could
// not run.
func run() int {
	suite := flag.String("suite", "", "`folder` of the suite's sources (fetch.sh prints it)")
	serverCommand := flag.String("server", "", "`command` that starts the server under test; a configuration file is added")
	peer := flag.Bool("peer", false, "the server is a real one: give it every directive of the suite")
	page := flag.String("page", "", "`file` to write the page of results to")
	causes := flag.String("causes", "", "`file` to write the failures by cause to")
	only := flag.String("only", "", "run only tests whose name matches this `regexp`")
	idle := flag.Duration("idle", 30*time.Second, "a test without progress for so long has hung")
	limit := flag.Duration("limit", 10*time.Minute, "time for one file")
	listed := flag.Bool("run-listed", false, "run the tests of the skip list too")
	find := flag.String("find-stand-ins", "", "`file` to list the tests in that pass with stand-ins; for a real server")
	verbose := flag.Bool("v", false, "print each test as it ends, and what the suite prints")
	flag.Parse()

	only_, err := regexp.Compile(*only)
	if err != nil {
		return usage(err)
	}
	suiteName, _, _ := strings.Cut(filepath.Base(*suite), "-")
	list, err := parseSkips(skipsText, suiteName)
	if err != nil {
		return usage(fmt.Errorf("skips.txt: %w", err))
	}
	replaceable := parseStandIns(standInsText)
	base, err := readDirectives(filepath.Join(*suite, "tests/assets/default.conf"))
	if err != nil {
		return usage(err)
	}
	shim, err := filepath.Abs("hack/conformance/shim.tcl")
	if err != nil {
		return usage(err)
	}
	scratch, err := os.MkdirTemp("", "conformance-")
	if err != nil {
		return usage(err)
	}
	defer os.RemoveAll(scratch)
	if err := stubs(scratch); err != nil {
		return usage(err)
	}
	chatter := io.Discard
	if *verbose {
		chatter = os.Stdout
	}
	names := flag.Args()
	if len(names) == 0 {
		names = units
	}
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	signal.Ignore(syscall.SIGPIPE) // a reader that left must not leave the servers behind

	r := &report{suite: filepath.Base(*suite), server: *serverCommand}
	began := time.Now()
	for i, unit := range names {
		if _, err := os.Stat(filepath.Join(*suite, "tests", unit+".tcl")); err != nil {
			fmt.Printf("%s: not in %s\n", unit, r.suite)
			continue
		}
		fmt.Printf("[%2d/%d %6s] %s\n", i+1, len(names), time.Since(began).Round(time.Second), unit)
		started := time.Now()
		scripts := false // the node can run stand-ins
		drive := func(standIn bool, wanted func(string) bool) ([]result, error) {
			s := &session{
				host: &host{command: strings.Fields(*serverCommand), peer: *peer, base: base, dir: scratch,
					cwd: *suite, assets: filepath.Join(*suite, "tests/assets")},
				list: list, unit: unit, suite: *suite, shim: shim, bin: filepath.Join(scratch, "bin"),
				only: wanted, idle: *idle, limit: *limit, progress: chatter, rerun: *listed, standIn: standIn,
				note: func(o outcome) {
					if *verbose {
						tell(judge(o, list))
					}
				},
			}
			outcomes, err := s.run(ctx)
			if err != nil {
				outcomes = append(outcomes, outcome{unit: unit, kind: broken, name: "(the file)", message: err.Error()})
				fmt.Println("  ", err)
			}
			scripts = s.lacks != nil && (s.lacks.has == nil || s.lacks.has["eval"])
			var results []result
			for _, o := range outcomes {
				results = append(results, judge(o, list))
			}
			return results, ctx.Err()
		}
		results, err := drive(*find != "", only_.MatchString)
		if err != nil {
			return 2
		}
		if *find == "" && scripts && replaceable.worthwhile(results) {
			fmt.Printf("               %s; once more with stand-ins\n", count(unit, results, 0))
			without := replaceable.hopeless(results)
			second, err := drive(true, func(name string) bool { return only_.MatchString(name) && !without[name] })
			if err != nil {
				return 2
			}
			results = replaceable.merge(results, second)
		}
		if !*verbose {
			for _, x := range results {
				if x.status == statusFailed {
					tell(x)
				}
			}
		}
		r.results = append(r.results, results...)
		t := count(unit, results, time.Since(started))
		r.tallies = append(r.tallies, t)
		fmt.Printf("               %s in %s\n", t, t.took.Round(time.Second))
	}
	if *only == "" {
		ran := map[string]bool{}
		for _, n := range names {
			ran[n] = true
		}
		r.stale = list.unused(ran)
	}
	fmt.Println()
	r.table(os.Stdout)
	for path, write := range map[string]func(io.Writer){*page: r.page, *causes: r.causes,
		*find: func(w io.Writer) { writeStandIns(w, r.suite, r.results) }} {
		if err := save(path, write); err != nil {
			return usage(err)
		}
	}
	if bad := r.failed(); len(bad) > 0 {
		fmt.Printf("\n%d failed\n", len(bad))
		return 1
	}
	return 0
}

// tell prints a result.
func tell(r result) {
	switch r.status {
	case statusFailed:
		fmt.Printf("   FAILED  %s\n           %s\n", firstLine(r.name), clip(firstLine(r.message), 1000))
	case statusSkipped:
		fmt.Printf("   skipped %s (%s: %s)\n", firstLine(r.name), r.class, r.reason)
	case statusPassed:
		fmt.Printf("   passed  %s (%s)\n", firstLine(r.name), r.took)
	}
}

// stubs makes what the suite wants to find before it starts: it checks that
// its own server was built, though it is not used here. The command-line
// clients are the machine's, where it has them.
func stubs(dir string) error {
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return err
	}
	for _, name := range []string{"valkey-server", "valkey-cli", "valkey-benchmark"} {
		if path, err := exec.LookPath(name); err == nil && name != "valkey-server" {
			if err := os.Symlink(path, filepath.Join(bin, name)); err != nil {
				return err
			}
			continue
		}
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\necho not on this machine >&2\nexit 1\n"), 0o755); err != nil {
			return err
		}
	}
	return nil
}

func save(path string, write func(io.Writer)) error {
	if path == "" {
		return nil
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	write(f)
	return f.Close()
}

func usage(err error) int {
	fmt.Fprintln(os.Stderr, "conformance:", err)
	return 2
}
