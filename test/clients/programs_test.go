//go:build clients

package clients

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestRedisCLI(t *testing.T)        { commandLine(t, "redis-cli") }
func TestValkeyCLI(t *testing.T)       { commandLine(t, "valkey-cli") }
func TestRedisBenchmark(t *testing.T)  { benchmark(t, "redis-benchmark") }
func TestValkeyBenchmark(t *testing.T) { benchmark(t, "valkey-benchmark") }

// program is one of the programs of a server's package.
type program struct {
	ctx        context.Context
	name       string
	host, port string
}

func newProgram(t *testing.T, name string) program {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		table.put(name, "connect", "no program", "")
		t.Skip(name + " is not on this machine: run test/clients/run.sh")
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	host, port, _ := net.SplitHostPort(address(t))
	return program{ctx, name, host, port}
}

func (p program) command(args ...string) *exec.Cmd {
	return exec.CommandContext(p.ctx, p.name, append([]string{"-h", p.host, "-p", p.port}, args...)...)
}

// run gives the program input and returns what it prints; an error reply is an
// error.
func (p program) run(input string, args ...string) (string, error) {
	cmd := p.command(args...)
	cmd.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return text, fmt.Errorf("%s %s: %w: %s %s", p.name, strings.Join(args, " "), err, text, errs.String())
	}
	for line := range strings.Lines(text + "\n" + errs.String()) {
		if strings.HasPrefix(line, "ERR ") || strings.HasPrefix(line, "(error)") || strings.Contains(line, "unknown command") {
			return text, errors.New(strings.TrimSpace(line))
		}
	}
	return text, nil
}

// expect runs the program and compares what it prints.
func (p program) expect(input, want string, args ...string) error {
	got, err := p.run(input, args...)
	if err == nil && got != want {
		err = fmt.Errorf("%s: printed %q, want %q", strings.Join(args, " "), got, want)
	}
	return err
}

// follow starts the program; lines waits until it has printed want, stop ends it.
func (p program) follow(args ...string) (lines func(want string) error, stop func(), err error) {
	ctx, cancel := context.WithTimeout(p.ctx, 10*time.Second)
	cmd := exec.CommandContext(ctx, p.name, append([]string{"-h", p.host, "-p", p.port}, args...)...)
	reader, writer := io.Pipe()
	cmd.Stdout, cmd.Stderr = writer, writer
	stdin, err := cmd.StdinPipe() // open for as long as it runs: it ends at the end of its input
	if err != nil {
		cancel()
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, nil, err
	}
	done := make(chan struct{})
	go func() { cmd.Wait(); writer.Close(); close(done) }() // ends with the program, which stop ends
	var seen strings.Builder
	lines = func(want string) error {
		buf := make([]byte, 4096)
		for !strings.Contains(seen.String(), want) {
			n, err := reader.Read(buf)
			seen.Write(buf[:n])
			if err != nil {
				return fmt.Errorf("%s %s: printed %q, want %q", p.name, strings.Join(args, " "), seen.String(), want)
			}
		}
		return nil
	}
	stop = func() { cancel(); stdin.Close(); reader.Close(); <-done }
	return lines, stop, nil
}

func commandLine(t *testing.T, name string) {
	p := newProgram(t, name)
	key := func(s string) string { return strings.ReplaceAll(name, "-", "") + ":" + s }
	step(t, name, "connect", func() error {
		if err := p.expect("", "PONG", "PING"); err != nil {
			return err
		}
		_, err := p.run("HELLO 3\nINFO server\n", "-3")
		return err
	})
	step(t, name, "commands", func() error {
		p.run("", "DEL", key("board"))
		if err := p.expect("", "2", "ZADD", key("board"), "1.5", "ada", "2", "bob"); err != nil {
			return err
		}
		if err := p.expect("", "ada\n1.5\nbob\n2", "ZRANGE", key("board"), "0", "-1", "WITHSCORES"); err != nil {
			return err
		}
		if _, err := p.run("", "--bigkeys"); err != nil { // SCAN, TYPE and sizes of all keys
			return err
		}
		_, err := p.run("", "--memkeys")
		return err
	})
	step(t, name, "pipeline", func() error {
		p.run("", "DEL", key("pipe"))
		var mass strings.Builder
		for i := range 500 {
			fmt.Fprintf(&mass, "ZADD %s %d m%d\r\n", key("pipe"), i, i)
		}
		out, err := p.run(mass.String(), "--pipe") // ends with an ECHO that must come back
		if err == nil && !strings.Contains(out, "errors: 0, replies: 500") {
			err = fmt.Errorf("--pipe printed %q", out)
		}
		return err
	})
	step(t, name, "transaction", func() error {
		p.run("", "DEL", key("tx"))
		return p.expect(fmt.Sprintf("MULTI\nZADD %[1]s 1 m\nZINCRBY %[1]s 1 m\nEXEC\n", key("tx")), "OK\nQUEUED\nQUEUED\n1\n2")
	})
	step(t, name, "script", func() error {
		p.run("", "DEL", key("limit"))
		file := filepath.Join(t.TempDir(), "limiter.lua")
		if err := os.WriteFile(file, []byte(limiter), 0o644); err != nil {
			return err
		}
		for i, want := range []string{"1", "1", "0"} {
			if err := p.expect("", want, "--eval", file, key("limit"), ",", fmt.Sprint(1000+i), "60000", "2"); err != nil {
				return err
			}
		}
		return nil
	})
	step(t, name, "blocking", func() error {
		k := key("queue")
		p.run("", "DEL", k)
		lines, stop, err := p.follow("BZPOPMIN", k, "5")
		if err != nil {
			return err
		}
		defer stop()
		for end := time.Now().Add(5 * time.Second); ; {
			info, err := p.run("", "INFO", "clients")
			if err != nil {
				return err
			}
			if !strings.Contains(info, "blocked_clients:0") {
				break
			}
			if time.Now().After(end) {
				return lines("blocked") // what it printed instead
			}
		}
		if err := p.expect("", "1", "ZADD", k, "7", "job"); err != nil {
			return err
		}
		return lines(k + "\njob\n7")
	})
	step(t, name, "tracking", func() error {
		k := key("tracked")
		p.run("", "ZADD", k, "1", "m")
		_, err := p.run(fmt.Sprintf("CLIENT TRACKING ON\nZSCORE %[1]s m\nZADD %[1]s 2 m\nPING\n", k), "-3")
		return err
	})
	step(t, name, "pubsub", func() error {
		lines, stop, err := p.follow("SUBSCRIBE", key("news"))
		if err != nil {
			return err
		}
		defer stop()
		if err := lines("subscribe\n" + key("news")); err != nil {
			return err
		}
		if err := p.expect("", "1", "PUBLISH", key("news"), "hello"); err != nil {
			return err
		}
		return lines("message\n" + key("news") + "\nhello")
	})
	step(t, name, "scan", func() error {
		out, err := p.run("", "--scan", "--pattern", key("pi*"))
		if err == nil && out != key("pipe") {
			err = fmt.Errorf("--scan printed %q", out)
		}
		return err
	})
}

func benchmark(t *testing.T, name string) {
	p := newProgram(t, name)
	bench := func(feature string, args ...string) {
		step(t, name, feature, func() error {
			out, err := p.run("", append([]string{"-n", "2000", "-c", "10", "-q"}, args...)...)
			if err == nil && !strings.Contains(out, "requests per second") {
				err = fmt.Errorf("printed %q", out)
			}
			return err
		})
	}
	bench("connect", "-t", "ping")
	bench("commands", "-t", "zadd,zpopmin", "-r", "1000")
	bench("pipeline", "-P", "16", "-r", "1000", "ZADD", "bench", "__rand_int__", "m__rand_int__")
	bench("script", "EVAL", "return redis.call('zcard', KEYS[1])", "1", "bench")
	bench("tracking", "--enable-tracking", "-3", "-t", "ping")
}
