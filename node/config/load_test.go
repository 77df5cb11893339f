package config

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"zset.dev/operator/zset"
)

// container is a machine whose container may use 1000000 bytes.
var container = machine{
	root:  fstest.MapFS{"proc/self/cgroup": {Data: []byte("0::/\n")}, "sys/fs/cgroup/memory.max": {Data: []byte("1000000\n")}},
	stdin: strings.NewReader(""),
	openFile: func(string) (io.ReadCloser, error) {
		return nil, fs.ErrNotExist
	},
}

// withFiles gives a container files and a standard input.
func withFiles(stdin string, files map[string]string) machine {
	on := container
	on.stdin = strings.NewReader(stdin)
	on.openFile = func(name string) (io.ReadCloser, error) {
		content, ok := files[name]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
		}
		return io.NopCloser(strings.NewReader(content)), nil
	}
	return on
}

func TestDefaults(t *testing.T) {
	c, err := FromArgs(nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Values{
		Port: 6379, Bind: []string{"127.0.0.1", "-::1"}, ProtectedMode: true, HTTPPort: 9379, TCPKeepalive: 300 * time.Second,
		TLS: TLS{
			AuthClients: "yes", AuthClientsUser: "off", Protocols: TLSProtocols{Min: tls.VersionTLS12, Max: tls.VersionTLS13}, SessionCaching: true, ReloadInterval: 10 * time.Second,
		},
		MaxClients: 10000, ClientQueryBufferLimit: 64 << 20, ProtoMaxBulkLen: 64 << 20,
		TrackingTableMaxKeys: 1000000, BusyReplyThreshold: 5000,
		ACLLogMaxLen: 128, ACLPubsubDefault: "resetchannels", EnableDebug: "no",
		SlowLogSlowerThan: 10000, SlowLogMaxLen: 128, LatencyTracking: true,
		LatencyPercentiles: []Percentile{{50, "50"}, {99, "99"}, {99.9, "99.9"}},
		ClientOutputBufferLimit: OutputBufferLimits{
			Normal:  OutputBufferLimit{Hard: 256 << 20},
			Replica: OutputBufferLimit{Hard: 256 << 20, Soft: 64 << 20, SoftFor: time.Minute},
			PubSub:  OutputBufferLimit{Hard: 32 << 20, Soft: 8 << 20, SoftFor: time.Minute},
		},
		MaxMemory: MemoryLimit{Bytes: 0, Text: "0"}, Defrag: true, DefragPercent: 10, DefragBytes: 100 << 20, MaxMemorySamples: 5, EvictionTenacity: 10, LFULogFactor: 10, LFUDecayTime: 1, MaxMemoryPolicy: "noeviction",
		ZSetMaxListpackEntries: 128, ZSetMaxListpackValue: 64, SkipListP: P{Value: 1 / math.E, Text: "1/e"}, SkipListMaxLevel: 32, SkipListBlockEntries: 64,
		Replication: Replication{
			BacklogSize: 10 << 20, BacklogTTL: time.Hour, Timeout: time.Minute, PingEvery: 10 * time.Second, DisklessSync: true, MaxLag: 10 * time.Second, SyncTimeout: 5 * time.Second,
		},
		Following: Following{ReadOnly: true, ServeStale: true, IgnoreMemory: true, Priority: 100, Announced: true, LazyFlush: true},
		Dir:       ".", Databases: 1, DBFilename: "dump.rdb", StopWritesOnSaveError: true, RDBCompression: true, RDBChecksum: true, RDBIncrementalSync: true,
		AppendFilename: "appendonly.aof", AppendDirname: "appendonlydir", AppendFsync: "everysec", AutoRewritePercent: 100, AutoRewriteMinSize: 64 << 20,
		Shard:         Shard{Size: 1, Duration: 6 * time.Second, Deadline: 4 * time.Second, Retry: time.Second},
		LoadTruncated: true, AOFIncrementalSync: true, LogLevel: "notice", ShutdownTimeout: 10 * time.Second,
	}
	if diff := cmp.Diff(want, c.Values(), cmpopts.IgnoreFields(Values{}, "Tuning")); diff != "" {
		t.Error(diff)
	}
	if got := c.Values().Tuning.Options(); got != zset.DefaultOptions() {
		t.Errorf("the engine gets %+v, its own defaults are %+v", got, zset.DefaultOptions())
	}
}

// TestLoad reads command lines and compares some directives.
func TestLoad(t *testing.T) {
	files := map[string]string{"node.conf": "# The node.\r\n\r\nPORT 7001\nbind * -::*\n  loglevel Verbose\nrequirepass \"a b\"\nsave \"\"\nport 7002"}
	for _, c := range []struct {
		name  string
		args  string // apart by spaces, _ = an empty one
		stdin string
		want  map[string]string
	}{
		{"nothing", "", "", map[string]string{"port": "6379", "bind": "127.0.0.1 -::1"}},
		{"file", "node.conf", "", map[string]string{"port": "7002", "bind": "* -::*", "loglevel": "verbose", "requirepass": "a b", "save": ""}},
		{"flags", "--port 7000 --bind 127.0.0.1 ::1 -::2 --dir .", "", map[string]string{"port": "7000", "bind": "127.0.0.1 ::1 -::2", "dir": "."}},
		{"flags after a file", "node.conf --port 7003", "", map[string]string{"port": "7003", "bind": "* -::*"}},
		{"the last flag counts", "--port 7000 --port 7004", "", map[string]string{"port": "7004"}},
		{"equals sign", "--port=7000 --requirepass=--a=b --bind=::1", "", map[string]string{"port": "7000", "requirepass": "--a=b", "bind": "::1"}},
		{"case", "--PORT 7000 --LogLevel DEBUG", "", map[string]string{"port": "7000", "loglevel": "debug"}},
		{"empty value", "--save _ --requirepass _", "", map[string]string{"save": "", "requirepass": ""}},
		{"stdin", "-", "port 7005", map[string]string{"port": "7005"}},
		{"file, stdin, flags", "node.conf --loglevel warning -", "port 7006\nloglevel debug", map[string]string{"port": "7006", "loglevel": "warning", "requirepass": "a b"}},
		{"stdin first", "- --dir /x", "port 7007", map[string]string{"port": "7007", "dir": "/x"}},
		{"alias", "--zset-max-ziplist-entries 7", "", map[string]string{"zset-max-listpack-entries": "7", "zset-max-ziplist-entries": "7"}},
		{"p", "--zset-skiplist-p 1/E", "", map[string]string{"zset-skiplist-p": "1/e"}},
		{"p decimal", "--zset-skiplist-p 0.2500", "", map[string]string{"zset-skiplist-p": "0.25"}},
		{"sizes", "--maxmemory 100MB --zset-max-listpack-value 1k", "", map[string]string{"maxmemory": "104857600", "zset-max-listpack-value": "1000"}},
		{"share", "--maxmemory 75%", "", map[string]string{"maxmemory": "750000"}},
		{"share with a point", "--maxmemory 12.5%", "", map[string]string{"maxmemory": "125000"}},
		{"one class", "--client-output-buffer-limit normal 1mb 0 0", "", map[string]string{
			"client-output-buffer-limit": "normal 1048576 0 0 slave 268435456 67108864 60 pubsub 33554432 8388608 60"}},
		{"classes in lines", "-", "client-output-buffer-limit replica 1 2 3\nclient-output-buffer-limit pubsub 4 5 6", map[string]string{
			"client-output-buffer-limit": "normal 268435456 0 0 slave 1 2 3 pubsub 4 5 6"}},
		{"what the node is anyway", "--databases 1 --appendonly no --daemonize no --supervised no --cluster-enabled no", "", map[string]string{"databases": "1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			args := strings.Fields(c.args)
			for i := range args {
				args[i] = strings.TrimPrefix(args[i], "_")
			}
			config, err := load(args, withFiles(c.stdin, files))
			if err != nil {
				t.Fatal(err)
			}
			for name, want := range c.want {
				if got := config.Get(name); len(got) != 1 || got[0].Value != want {
					t.Errorf("%s is %q, want %q", name, got, want)
				}
			}
		})
	}
}

// TestLoadErrors states each message in full: it is all a user has.
func TestLoadErrors(t *testing.T) {
	for _, c := range []struct {
		args string // apart by spaces
		conf string // content of node.conf
		want string
	}{
		{"node.conf", "port 7000\nfoo bar", `node.conf:2: directive "foo": unknown directive; --help lists those there are`},
		{"node.conf", "port x", `node.conf:1: directive "port": argument couldn't be parsed into an integer (allowed: 0 to 65535)`},
		{"node.conf", "port 70000", `node.conf:1: directive "port": argument must be between 0 and 65535 inclusive`},
		{"node.conf", "port", `node.conf:1: directive "port": wrong number of arguments (allowed: 0 to 65535)`},
		{"node.conf", "port 7000 # main", `node.conf:1: directive "port": wrong number of arguments (allowed: 0 to 65535); a comment has a line of its own`},
		{"node.conf", `requirepass "x`, `node.conf:1: directive "requirepass": unbalanced quotes; a value that has a quote in it is written in quotes, as "a\"b"`},
		{"node.conf", "include other.conf", `node.conf:1: directive "include": not supported; write everything in one file; remove it`},
		{"node.conf", "appenddirname a/b", `node.conf:1: directive "appenddirname": argument must be a name, not a path, and is "a/b"`},
		{"node.conf", "save 3600 1 300", `node.conf:1: directive "save": Invalid save parameters (allowed: pairs of seconds and changes; "" = never)`},
		{"node.conf", "databases 16", `node.conf:1: directive "databases": argument must be 1: the node has one database; keep data apart by key prefixes`},
		{"node.conf", "daemonize yes", `node.conf:1: directive "daemonize": argument must be no: the node runs in the foreground; let a service manager or a shell's & start it`},
		{"node.conf", "hash-max-listpack-entries 1", `node.conf:1: directive "hash-max-listpack-entries": the node holds sorted sets only; remove it`},
		{"node.conf", "replicaof a 0", `node.conf:1: directive "replicaof": "0" is no port`},
		{"node.conf", "replicaof a", `node.conf:1: directive "replicaof": wrong number of arguments (allowed: a host and a port, or nothing)`},
		{"node.conf", "maxmemory 1.5gb", `node.conf:1: directive "maxmemory": argument must be a memory value (allowed: a memory size, or a share of the container's memory limit such as 75%; 0 = no limit)`},
		{"node.conf", "maxmemory 101%", `node.conf:1: directive "maxmemory": argument must be a memory value or a percentage above 0 and up to 100`},
		{"node.conf", "maxmemory 0.00001%", `node.conf:1: directive "maxmemory": 0.00001% of 1000000 bytes is less than one byte`},
		{"node.conf", "maxmemory-policy lru", `node.conf:1: directive "maxmemory-policy": argument(s) must be one of the following: volatile-lru, volatile-lfu, volatile-random, volatile-ttl, allkeys-lru, allkeys-lfu, allkeys-random, noeviction`},
		{"node.conf", "zset-skiplist-p 0.76", `node.conf:1: directive "zset-skiplist-p": P must be greater than 0 and at most 0.75, got 0.76`},
		{"node.conf", "zset-skiplist-p 1/3", `node.conf:1: directive "zset-skiplist-p": argument must be 1/e or a decimal number (allowed: 1/e, or a decimal above 0 and up to 0.75)`},
		{"node.conf", "zset-skiplist-p nan", `node.conf:1: directive "zset-skiplist-p": argument must be 1/e or a decimal number (allowed: 1/e, or a decimal above 0 and up to 0.75)`},
		{"node.conf", "zset-skiplist-max-level 65", `node.conf:1: directive "zset-skiplist-max-level": MaxLevel must be from 1 to 64, got 65`},
		{"node.conf", `bind ""`, `node.conf:1: directive "bind": at least one address is needed (allowed: up to 16 addresses; * and ::* are every interface, a leading - lets one be missing)`},
		{"node.conf", "bind [::1]:6379", `node.conf:1: directive "bind": not an address: [::1]:6379 (allowed: up to 16 addresses; * and ::* are every interface, a leading - lets one be missing)`},
		{"node.conf", "protected-mode off\nloglevel loud", "node.conf:1: directive \"protected-mode\": argument must be 'yes' or 'no'\n" +
			`node.conf:2: directive "loglevel": argument(s) must be one of the following: debug, verbose, notice, warning, nothing`},
		{"node.conf", "tls-port 7000", "tls-port needs tls-cert-file and tls-key-file"},
		{"node.conf", "tls-port 7000\ntls-cert-file a\ntls-key-file b", "tls-auth-clients yes needs tls-ca-cert-file or tls-ca-cert-dir; without client certificates, say tls-auth-clients no"},
		{"node.conf", "tls-port 6379\ntls-cert-file a\ntls-key-file b\ntls-auth-clients no", "tls-port 6379 is the port or the http-port, too; each needs its own"},
		{"node.conf", "tls-key-file-pass x", `node.conf:1: directive "tls-key-file-pass": argument must be "": encrypted keys are not read, since their password would lie beside them; ` +
			"write the key in plain (openssl pkey) and guard the file by its mode or as a Secret"},
		{"node.conf", "tls-protocols TLSv1.1 TLSv1.2", `node.conf:1: directive "tls-protocols": TLSv1.1 is broken and not served (allowed: TLSv1.2, TLSv1.3 or both; "" = both)`},
		{"node.conf", "tls-protocols SSLv3", `node.conf:1: directive "tls-protocols": not a version of TLS: SSLv3 (allowed: TLSv1.2, TLSv1.3 or both; "" = both)`},
		{"node.conf", "tls-ciphersuites TLS_AES_128_GCM_SHA256", `node.conf:1: directive "tls-ciphersuites": the suites of TLS 1.3 cannot be chosen, all three are sound; ` +
			"leave this empty or name all: TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256"},
		{"node.conf", "tls-dh-params-file x", `node.conf:1: directive "tls-dh-params-file": keys are agreed on by elliptic curves only; remove it`},
		{"node.conf", "http-port 7000\nport 7000", "port and http-port are both 7000; they need two ports"},
		{"node.conf", strings.Repeat("#", maxFileBytes+1), "node.conf: a configuration is at most 1048576 bytes long"},
		{"missing.conf", "", "cannot read the configuration: open missing.conf: file does not exist"},
		{"--port 70000", "", `command line: directive "port": argument must be between 0 and 65535 inclusive`},
		{"--bind --port 7000", "", `command line: directive "bind": no value given; write --bind=--value for one that starts with --`},
		{"--port=7000 7001", "", `command line: directive "port": wrong number of arguments (allowed: 0 to 65535)`},
		{"--maxclients 10 -x", "", `command line: directive "maxclients": wrong number of arguments (allowed: 1 to 4294967295)`},
		{"-p 7000", "", `command line: directive "-p": not a directive; write --name value, and the file before all directives`},
		{"--", "", `command line: directive "--": not a directive; write --name value, and the file before all directives`},
		{"--help", "", "help requested"},
		{"node.conf --port 7000 -h", "", "command line: directive \"port\": wrong number of arguments (allowed: 0 to 65535)"},
		{"--port 7000 --help", "", "help requested"},
		{"-v", "", "version requested"},
	} {
		_, err := load(strings.Fields(c.args), withFiles("", map[string]string{"node.conf": c.conf}))
		if err == nil {
			t.Errorf("%s with %.40q is accepted, want: %s", c.args, c.conf, c.want)
			continue
		}
		if diff := cmp.Diff(c.want, err.Error()); diff != "" {
			t.Errorf("%s with %.40q:\n%s", c.args, c.conf, diff)
		}
	}
}

func TestErrorsAreBounded(t *testing.T) {
	conf := strings.Repeat(strings.Repeat("x", 1000)+" 1\n", 500)
	_, err := load([]string{"-"}, withFiles(conf, nil))
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 21 || lines[20] != "and 480 more" || len(lines[0]) > 200 {
		t.Errorf("%d lines, the first of %d bytes, the last %q", len(lines), len(lines[0]), lines[len(lines)-1])
	}
}

func TestPercentageNeedsLimit(t *testing.T) {
	on := container
	on.root = fstest.MapFS{}
	_, err := load([]string{"--maxmemory", "75%"}, on)
	want := `command line: directive "maxmemory": a percentage needs a memory limit to be a share of: ` +
		`this system reports neither a container's limit nor its memory in /proc; give the limit in bytes`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestHelpAndVersionAreNoFailures(t *testing.T) {
	for flag, want := range map[string]error{"-h": ErrHelp, "--help": ErrHelp, "-v": ErrVersion, "--version": ErrVersion} {
		if _, err := FromArgs([]string{flag}); !errors.Is(err, want) {
			t.Errorf("%s gives %v", flag, err)
		}
	}
}
