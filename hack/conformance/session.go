package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// session runs one unit of the suite. When a test hangs or its server crashes, the Tcl
// process is ended and a new one passes over what is done.
type session struct {
	host     *host
	list     *skips
	unit     string
	suite    string // root of the suite's sources
	shim     string
	bin      string // folder with stand-ins for the programs the suite wants to see
	only     func(name string) bool
	idle     time.Duration // without a message from the shim a test counts as hung
	limit    time.Duration // for the whole unit
	progress io.Writer     // what the shim prints
	note     func(outcome) // called with each outcome as it comes
	standIn  bool          // replace the commands of other data types (standin.tcl)
	rerun    bool          // run the tests of the skip list too

	probe    *server // what the node lacks is asked of this one; no test sees it
	lacks    *lacks
	done     int // tests that have been dealt with, in the suite's order
	outcomes []outcome
	brokenAt map[string]bool
	noStart  string   // why the last server did not start
	undone   []string // directives that the block being run did not get
}

var errStalled = errors.New("stalled")

// run is the whole unit.
func (s *session) run(ctx context.Context) ([]outcome, error) {
	ctx, cancel := context.WithTimeout(ctx, s.limit)
	defer cancel()
	defer s.host.stopAll()
	s.brokenAt = map[string]bool{}
	for {
		before := s.done
		err := s.attempt(ctx)
		s.host.stopAll()
		s.probe = nil
		switch {
		case err == nil:
			return s.outcomes, nil
		case ctx.Err() != nil:
			s.record(outcome{kind: broken, name: "(the rest of the file)", message: "the time for one file, " + s.limit.String() + ", is over"})
			return s.outcomes, nil
		case errors.Is(err, errStalled) && s.done > before:
			continue
		case errors.Is(err, errStalled):
			s.record(outcome{kind: broken, name: "(the rest of the file)", message: "it stalls between tests"})
			return s.outcomes, nil
		default:
			return s.outcomes, err
		}
	}
}

func (s *session) record(o outcome) {
	o.unit = s.unit
	o.settings = append(o.settings, s.undone...)
	s.outcomes = append(s.outcomes, o)
	s.note(o)
}

// attempt runs the unit in one Tcl process, from the first test not dealt with.
func (s *session) attempt(ctx context.Context) error {
	var err error
	if s.probe, err = s.host.start(ctx, nil); err != nil {
		return err
	}
	s.lacks = learn(s.probe.port)
	listener, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		return err
	}
	defer listener.Close()
	tcl := exec.Command("tclsh", s.shim, strconv.Itoa(listener.Addr().(*net.TCPAddr).Port))
	tcl.Dir, tcl.Stdout, tcl.Stderr = s.suite, s.progress, s.progress
	tcl.Env = append(os.Environ(), "VALKEY_BIN_DIR="+s.bin)
	tcl.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the suite starts processes of its own
	tcl.WaitDelay = time.Second
	if err := tcl.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- tcl.Wait() }()
	defer func() {
		syscall.Kill(-tcl.Process.Pid, syscall.SIGKILL)
		<-ended
	}()

	listener.(*net.TCPListener).SetDeadline(time.Now().Add(startLimit))
	conn, err := listener.Accept()
	if err != nil {
		return fmt.Errorf("the suite did not connect: %w", err)
	}
	defer conn.Close()
	return s.converse(ctx, conn)
}

// converse answers the shim until it is done.
func (s *session) converse(ctx context.Context, conn net.Conn) error {
	lines := make(chan string)
	quit := make(chan struct{})
	defer close(quit)
	go func() { // ends when the connection closes or nobody listens any more
		defer close(lines)
		in := bufio.NewReader(conn)
		if err := skipPacket(in); err != nil {
			return
		}
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return
			}
			select {
			case lines <- line:
			case <-quit:
				return
			}
		}
	}()
	if _, err := io.WriteString(conn, packet("run", s.unit)); err != nil {
		return err
	}

	seen := 0 // tests met in this attempt
	running := ""
	fail := func(why string) error {
		if running != "" {
			s.record(outcome{kind: failed, name: running, message: why})
		}
		return errStalled
	}
	for {
		idle := time.NewTimer(s.idle)
		var line string
		var open bool
		select {
		case line, open = <-lines:
			idle.Stop()
			if !open {
				return fail("the suite's process ended")
			}
		case <-idle.C:
			return fail("no progress for " + s.idle.String())
		case <-ctx.Done():
			idle.Stop()
			return fail("the time for one file is over")
		}
		m, err := parseMessage(line)
		if err != nil {
			return err
		}
		answer := "-"
		switch m.verb {
		case "hello":
			answer = s.hello()
		case "done":
			return nil
		case "test":
			seen++
			if seen <= s.done {
				answer = "pass-over"
				break
			}
			s.done = seen
			switch {
			case !s.only(m.arg(0)):
				answer = "pass-over"
			case !s.rerun && s.list.find(s.unit, m.arg(0)) != nil:
				answer = "pass-over"
				s.record(outcome{kind: listed, name: m.arg(0)})
			default:
				answer, running = "run", m.arg(0)
			}
		case "result":
			took, _ := strconv.Atoi(m.arg(6))
			o := outcome{kind: kind(m.arg(1)), name: m.arg(0), message: m.arg(2), took: time.Duration(took) * time.Millisecond}
			o.settings = tclWords(m.arg(7))
			sent := tclWords(m.arg(5))
			o.standIn = slices.Contains(sent, "(stand-in)")
			o.refused, o.unknown = s.lacks.of(tclWords(m.arg(3)), tclWords(m.arg(4)), sent)
			if v := s.host.fallen(); v != nil {
				return fail("the node ended: " + v.lastWords())
			}
			s.record(o)
			running = ""
			continue
		case "tagged":
			if seen++; seen > s.done {
				s.done = seen
				if s.only(m.arg(0)) {
					o := outcome{kind: tagged, name: m.arg(0), message: m.arg(1)}
					if o.message == "no-start" {
						o.kind, o.message = failed, "no server with the directives of the block: "+s.noStart
					}
					s.record(o)
				}
			}
			continue
		case "broken":
			if key := m.arg(0); !s.brokenAt[key] {
				s.brokenAt[key] = true
				o := outcome{kind: broken, name: m.arg(0), message: m.arg(1), settings: tclWords(m.arg(5))}
				o.refused, o.unknown = s.lacks.of(tclWords(m.arg(2)), tclWords(m.arg(3)), tclWords(m.arg(4)))
				s.record(o)
			}
			continue
		case "serve":
			answer = s.serve(ctx, m)
		case "stop":
			if v := s.host.find(m.arg(0)); v != nil {
				v.stop()
			}
		case "restart":
			answer = s.restart(ctx, m.arg(0), m.arg(1) != "0")
		default:
			return fmt.Errorf("the shim said %q", m.verb)
		}
		if _, err := io.WriteString(conn, answer+"\n"); err != nil {
			return fail("the suite's process ended")
		}
	}
}

// hello tells the shim which tags do not run, whether digests are missing, and
// the commands there are.
func (s *session) hello() string {
	denied := s.list.tags()
	digest := "0"
	if reply := ask(s.probe.port, "DEBUG SLEEP 0"); !strings.HasPrefix(reply, "+") {
		digest = "1"
	} else {
		denied = without(denied, "needs:debug")
	}
	if s.rerun {
		denied = nil
	}
	standIn := "0"
	if s.standIn {
		standIn = "1"
	}
	return tclList(strings.Join(denied, " "), digest, strings.Join(slices.Sorted(maps.Keys(s.lacks.has)), " "), standIn)
}

// serve starts the server of a block, with the directives it asks for. Answers
// HOST PORT PID DIRECTORY LOG.
func (s *session) serve(ctx context.Context, m message) string {
	var asked []directive
	for i := 0; i+1 < len(m.args); i += 2 {
		asked = append(asked, directive{m.args[i], m.args[i+1]})
	}
	v, err := s.host.start(ctx, asked)
	if err != nil {
		s.noStart = err.Error()
		return ""
	}
	s.undone = v.refused
	return tclList("127.0.0.1", strconv.Itoa(v.port), strconv.Itoa(v.pid()), v.dir, v.log)
}

// restart starts a server again with what it had. Answers its new pid.
func (s *session) restart(ctx context.Context, pid string, ready bool) string {
	v := s.host.find(pid)
	if v == nil {
		return ""
	}
	v.stop()
	if err := s.host.launch(ctx, v, ready); err != nil {
		fmt.Fprintln(s.progress, "no restart:", err)
		return ""
	}
	return strconv.Itoa(v.pid())
}

// packet is a message in the suite's own protocol, which it speaks until the
// shim takes over: a length, a line end, a Tcl list.
func packet(words ...string) string {
	list := tclList(words...)
	return fmt.Sprintf("%d\n%s", len(list), list)
}

// skipPacket reads one such message.
func skipPacket(in *bufio.Reader) error {
	line, err := in.ReadString('\n')
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return err
	}
	_, err = in.Discard(n)
	return err
}

// tclWords reads a list of plain or braced words.
func tclWords(list string) []string {
	var words []string
	for list = strings.TrimSpace(list); list != ""; list = strings.TrimSpace(list) {
		var word string
		if rest, ok := strings.CutPrefix(list, "{"); ok {
			word, list, _ = strings.Cut(rest, "}")
		} else {
			word, list, _ = strings.Cut(list, " ")
		}
		words = append(words, word)
	}
	return words
}

func without(names []string, name string) []string {
	var rest []string
	for _, n := range names {
		if n != name {
			rest = append(rest, n)
		}
	}
	return rest
}
