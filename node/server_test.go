package node

import (
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"zset.dev/operator/node/command"
	"zset.dev/operator/node/config"
)

func get(t *testing.T, url string) (status int, body string) {
	t.Helper()
	client := http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
	r, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	text, err := io.ReadAll(r.Body)
	if err != nil {
		t.Fatal(err)
	}
	return r.StatusCode, string(text)
}

// freePort is a port nobody listens on at present.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func TestHTTP(t *testing.T) {
	s := start(t, "--http-port", freePort(t))
	base := "http://" + s.HTTPAddr().String()
	w := dial(t, s.addr)
	w.do("ZADD", "k", "1", "m")
	w.do("NOSUCH")
	w.do("ZADD", "k")
	for path, want := range map[string]int{"/livez": 200, "/metrics": 200, "/": 404} {
		if got, body := get(t, base+path); got != want {
			t.Errorf("%s: %d %q, want %d", path, got, body, want)
		}
	}
	eventually(t, "ready", func() bool {
		status, _ := get(t, base+"/readyz")
		return status == 200
	})
	_, text := get(t, base+"/metrics")
	for _, line := range []string{
		"zset_keys 1", "zset_clients_connected 1", `zset_command_calls_total{command="zadd"} 1`, `zset_command_rejected_total{command="zadd"} 1`,
		`zset_errors_total{code="ERR"} 2`, `zset_connections_closed_total{reason="idle"} 0`, "zset_ready 1",
	} {
		if !strings.Contains(text, "\n"+line+"\n") {
			t.Errorf("metrics lack %q", line)
		}
	}
	if !regexp.MustCompile(`\nzset_info\{run_id="[0-9a-f]{40}",version="test"\} 1\n`).MatchString(text) {
		t.Error("metrics lack the version")
	}
}

func TestInfo(t *testing.T) {
	s := start(t)
	w := dial(t, s.addr)
	w.do("ZADD", "k", "1", "m")
	w.do("ZSCORE", "k", "m")
	w.do("ZSCORE", "missing", "m")
	w.do("PEXPIREAT", "k", "99999999999999")
	w.do("NOSUCH")
	text := w.do("INFO", "all")
	for _, line := range []string{
		"# Server", "redis_version:7.2.4", "redis_mode:standalone", "# Clients", "connected_clients:1", "# Memory", "maxmemory_policy:noeviction",
		"# Persistence", "loading:0", "# Stats", "keyspace_hits:1", "keyspace_misses:1", "# Replication", "role:master", "connected_slaves:0",
		"# CPU", "# Commandstats", "# Errorstats", "errorstat_ERR:count=1", "# Cluster", "cluster_enabled:0", "# Keyspace", "db0:keys=1,expires=1,avg_ttl=0",
	} {
		if !strings.Contains(text, "\r\n"+line+"\r\n") {
			t.Errorf("INFO all lacks the line %q", line)
		}
	}
	if !strings.Contains(text, "cmdstat_zscore:calls=2,usec=") {
		t.Error("INFO all lacks the statistics of zscore")
	}
	if text := w.do("INFO"); strings.Contains(text, "Commandstats") || !strings.Contains(text, "# Keyspace") {
		t.Errorf("INFO without arguments gives %q", text)
	}
	if text := w.do("INFO", "KEYSPACE", "server"); !strings.Contains(text, "# Server") || !strings.Contains(text, "# Keyspace") || strings.Contains(text, "# Clients") {
		t.Errorf("INFO of two sections gives %q", text)
	}
	w.expect("+OK\r\n", "CONFIG", "RESETSTAT")
	if text := w.do("INFO", "stats"); !strings.Contains(text, "keyspace_hits:0\r\n") {
		t.Errorf("after RESETSTAT: %q", text)
	}
}

func TestPortInUse(t *testing.T) {
	s := start(t)
	_, port, _ := net.SplitHostPort(s.addr)
	settings, err := config.FromArgs([]string{"--port", port, "--bind", "127.0.0.1", "--http-port", "0", "--dir", t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	other, err := New(Options{Config: settings})
	if err != nil {
		t.Fatal(err)
	}
	err = other.Start()
	if err == nil || !strings.Contains(err.Error(), "port "+port+" is in use") || !strings.Contains(err.Error(), "--port") {
		t.Errorf("got %v", err)
	}
}

func TestStopAnswersWhatHasArrived(t *testing.T) {
	s := start(t, "--http-port", freePort(t))
	idle, busy := dial(t, s.addr), dial(t, s.addr)
	idle.expect(pong, "PING")
	busy.expect(pong, "PING")
	const commands = 2000
	busy.send(strings.Repeat(string(array("ZINCRBY", "k", "1", "m")), commands))
	go s.stop()
	got := busy.rest()
	if n := strings.Count(got, "\r\n"); n != 2*commands {
		t.Errorf("answered %d of %d commands that had arrived", n/2, commands)
	}
	if got := idle.rest(); got != "" {
		t.Errorf("an idle client got %q", got)
	}
	s.stop()
	if conn, err := net.Dial("tcp", s.addr); err == nil {
		conn.Close()
		t.Error("still accepts connections")
	}
}

func TestReadinessFailsAtOnce(t *testing.T) {
	s := start(t)
	if reason := s.notReady(); reason != "" && reason != "starting" {
		t.Errorf("not ready: %q", reason)
	}
	s.beginStop(command.Shutdown{})
	if reason := s.notReady(); reason != "stopping" {
		t.Errorf("while it stops: %q", reason)
	}
}

// A client that does not take its replies cannot hold the stop up for longer
// than shutdown-timeout.
func TestStopIsBounded(t *testing.T) {
	s := start(t, "--shutdown-timeout", "1")
	w := dial(t, s.addr)
	fill(t, w, "k", 50000)
	for range 8 {
		w.send(string(array("ZRANGE", "k", "0", "-1")))
	}
	eventually(t, "the write is stuck", func() bool {
		all := s.clients.All()
		return len(all) == 1 && all[0].WritingSince.Load() != 0
	})
	began := time.Now()
	s.stop()
	if took := time.Since(began); took > patience/6 {
		t.Errorf("took %v", took)
	}
	if !strings.Contains(s.log.String(), "closing clients that still had commands to run") {
		t.Error("the log does not say that a client was cut off")
	}
}

func TestShutdownCommand(t *testing.T) {
	for _, args := range [][]string{{"SHUTDOWN"}, {"SHUTDOWN", "NOSAVE"}, {"SHUTDOWN", "NOW"}, {"SHUTDOWN", "NOSAVE", "NOW", "FORCE"}, {"SHUTDOWN", "SAVE"}} {
		s := start(t)
		w := dial(t, s.addr)
		w.send(string(array(args...)))
		if got := w.rest(); got != "" {
			t.Errorf("%q: got %q, want the end", args, got)
		}
		s.stop()
	}
}

func TestClientKill(t *testing.T) {
	s := start(t)
	w, other := dial(t, s.addr), dial(t, s.addr)
	other.expect(pong, "PING")
	address := other.conn.LocalAddr().String()
	if list := w.do("CLIENT", "LIST"); strings.Count(list, "\n") != 4 || !strings.Contains(list, " addr="+address+" ") || !strings.Contains(list, " cmd=client|list ") {
		t.Errorf("CLIENT LIST: %q", list)
	}
	w.expect(":1\r\n", "CLIENT", "KILL", "ADDR", address)
	if got := other.rest(); got != "" {
		t.Errorf("the killed client got %q", got)
	}
	w.expect(":0\r\n", "CLIENT", "KILL", "TYPE", "normal") // itself is spared
	w.expect(":1\r\n", "CLIENT", "KILL", "TYPE", "normal", "SKIPME", "no")
	if got := w.rest(); got != "" {
		t.Errorf("after killing itself the client got %q", got)
	}
}

func TestTimeAndExpiryFollowTheClock(t *testing.T) {
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	var clock fakeClock
	clock.set(now)
	s := startWith(t, Options{Now: clock.now})
	w := dial(t, s.addr)
	w.expect("*2\r\n"+bulk("1772366400")+bulk("0"), "TIME")
	w.do("ZADD", "k", "1", "m")
	w.expect(":1\r\n", "EXPIRE", "k", "100")
	clock.set(now.Add(30400 * time.Millisecond))
	w.expect(":70\r\n", "TTL", "k")
	w.expect(":69600\r\n", "PTTL", "k")
	w.expect(":1772366500\r\n", "EXPIRETIME", "k")
	clock.set(now.Add(100 * time.Second))
	w.expect(":-2\r\n", "TTL", "k")
	w.expect(":0\r\n", "EXISTS", "k")
	w.expect(":1\r\n", "ZADD", "k", "2", "other")
	w.expect(":-1\r\n", "TTL", "k")
	w.expect("*1\r\n"+bulk("other"), "ZRANGE", "k", "0", "-1")
}

// A pipeline that waited for its reader runs on by the time it is then.
func TestClockMovesOnDuringAPipeline(t *testing.T) {
	var clock fakeClock
	clock.set(time.Unix(1000, 0))
	s := startWith(t, Options{Now: clock.now})
	w := dial(t, s.addr)
	value := strings.Repeat("x", 20<<10)
	const echoes = 1000
	go io.WriteString(w.conn, strings.Repeat(string(array("ECHO", value)), echoes)+string(array("TIME")))
	eventually(t, "the write is stuck", func() bool {
		all := s.clients.All()
		return len(all) == 1 && all[0].WritingSince.Load() != 0
	})
	clock.set(time.Unix(1040, 0))
	for range echoes {
		w.reply()
	}
	if got, want := w.reply(), "*2\r\n"+bulk("1040")+bulk("0"); got != want {
		t.Errorf("TIME at the end: %q, want %q", got, want)
	}
	if nanos := s.stats.Command(numberOf(t, s, "echo")).Nanos.Load(); nanos != 0 {
		t.Errorf("%v of waiting count as time spent in commands", time.Duration(nanos))
	}
}

func TestAvailabilityZone(t *testing.T) {
	w := dial(t, start(t, "--availability-zone", "eu-1a").addr)
	field := bulk("availability_zone")
	for _, proto := range []string{"2", "3"} {
		if got := w.do("HELLO", proto); !strings.HasSuffix(got, field+bulk("eu-1a")) {
			t.Errorf("HELLO %s answers %q", proto, got)
		}
	}
	if got := w.do("INFO", "server"); !strings.Contains(got, "\r\navailability_zone:eu-1a\r\n") {
		t.Errorf("INFO answers %q", got)
	}
	w.expect("+OK\r\n", "CONFIG", "SET", "availability-zone", "")
	if got := w.do("HELLO"); strings.Contains(got, field) {
		t.Errorf("without a zone HELLO answers %q", got)
	}
}
