package node

import (
	"strings"
	"testing"
)

// What clients send when they connect, in the order in which they do, read
// from their sources: each reply must be one they go on from. A reply is
// checked by its beginning; ~ means that it must hold the text.
var handshakes = []struct{ client, session string }{
	{"go-redis 9", `
		HELLO 3 SETNAME app                            %7
		CLIENT MAINT_NOTIFICATIONS ON moving-endpoint-type none   -ERR
		CLIENT SETINFO LIB-NAME go-redis(,go1.26)      +OK
		CLIENT SETINFO LIB-VER 9                       +OK
		COMMAND                                        *
		PING                                           +PONG`},
	{"go-redis 9, RESP2", `
		HELLO 2                                        *14
		PING                                           +PONG`},
	{"rueidis, valkey-go", `
		HELLO 3                                        %7
		CLIENT TRACKING ON OPTIN                       +OK
		SELECT 0                                       +OK
		CLIENT SETINFO LIB-NAME rueidis                +OK
		CLIENT SETINFO LIB-VER 1                       +OK
		CLIENT CAPA redirect                           +OK`},
	{"redis-py", `
		HELLO 3                                        ~proto
		CLIENT SETNAME app                             +OK
		CLIENT SETINFO LIB-NAME redis-py               +OK
		CLIENT SETINFO LIB-VER 8                       +OK
		SELECT 0                                       +OK
		COMMAND GETKEYS ZUNIONSTORE d 2 a b            *3`},
	{"valkey-glide", `
		HELLO 3                                        %7
		CLIENT SETINFO LIB-NAME GlidePy                +OK
		INFO REPLICATION                               ~role:master`},
	{"ioredis", `
		HELLO 3                                        %7
		CLIENT SETINFO LIB-NAME ioredis                +OK
		INFO                                           ~loading:0`},
	{"node-redis", `
		HELLO 3                                        %7
		CLIENT SETINFO LIB-NAME node-redis             +OK
		CLIENT SETINFO LIB-VER 6                       +OK`},
	{"jedis", `
		HELLO 3                                        %7
		CLIENT SETINFO LIB-NAME jedis                  +OK
		CLUSTER SLOTS                                  -ERR This instance has cluster support disabled`},
	{"lettuce", `
		HELLO 3                                        %7
		CLIENT SETINFO lib-name Lettuce                +OK
		INFO                                           ~connected_clients:
		INFO                                           ~master_repl_offset:
		CLUSTER NODES                                  -ERR This instance has cluster support disabled`},
	{"lettuce, on its way to RESP2", `
		HELLO 4                                        -NOPROTO unsupported protocol version
		NOSUCH                                         -ERR unknown command`},
	{"StackExchange.Redis", `
		AUTH default x                                 +OK
		HELLO 3                                        %7
		CLIENT SETNAME app                             +OK
		CLIENT SETINFO lib-name SE.Redis               +OK
		CLIENT ID                                      :
		CONFIG GET timeout                             ~timeout
		CONFIG GET replica-read-only                   ~yes
		CONFIG GET databases                           ~1
		SENTINEL MASTERS                               -ERR unknown command
		INFO replication                               ~role:master
		INFO server                                    ~redis_version:
		INFO server                                    ~redis_mode:standalone
		INFO server                                    ~run_id:
		CLUSTER NODES                                  -ERR This instance has cluster support disabled
		GET __Booksleeve_TieBreak                      -ERR
		ECHO probe                                     $5
		SUBSCRIBE __Booksleeve_MasterChanged           >3`},
	{"redis-rs, libvalkey", `
		HELLO 3 AUTH default x                         %7
		SELECT 0                                       +OK
		CLIENT SETINFO LIB-NAME redis-rs               +OK`},
	{"redis-cli --cluster", `
		INFO                                           ~cluster_enabled:0
		ZADD k 1 m                                     :1
		INFO                                           ~db0:keys=1
		CLUSTER INFO                                   -ERR This instance has cluster support disabled
		CLUSTER COUNTKEYSINSLOT 1                      -ERR This instance has cluster support disabled
		CLUSTER GETKEYSINSLOT 1 10                     -ERR This instance has cluster support disabled
		DBSIZE                                         :1`},
	{"redis-benchmark", `
		CONFIG GET save                                ~save
		CONFIG GET appendonly                          ~no`},
	{"RedisInsight, redis_exporter", `
		ZADD k 1 m                                     :1
		INFO ALL                                       ~# Server
		INFO ALL                                       ~# Clients
		INFO ALL                                       ~# Memory
		INFO ALL                                       ~# Persistence
		INFO ALL                                       ~# Stats
		INFO ALL                                       ~# Replication
		INFO ALL                                       ~# CPU
		INFO ALL                                       ~# Commandstats
		INFO ALL                                       ~# Errorstats
		INFO ALL                                       ~# Latencystats
		INFO ALL                                       ~# Cluster
		INFO ALL                                       ~# Keyspace
		CONFIG GET *                                   ~maxmemory
		SLOWLOG LEN                                    :0
		SLOWLOG GET 10                                 *0
		LATENCY LATEST                                 *0
		LATENCY HISTOGRAM zadd                         ~histogram_usec
		CLIENT LIST                                    ~id=
		SCAN 0                                         *2
		TYPE k                                         +zset
		MEMORY USAGE k                                 :
		MODULE LIST                                    *0
		DBSIZE                                         :1
		CLUSTER INFO                                   -ERR
		CLUSTER NODES                                  -ERR`},
}

func TestHandshakesOfClients(t *testing.T) {
	s := start(t)
	for _, h := range handshakes {
		t.Run(h.client, func(t *testing.T) {
			w := dial(t, s.addr)
			w.do("FLUSHALL")
			for line := range strings.Lines(h.session) {
				command, want, ok := strings.Cut(strings.TrimSpace(line), "  ")
				if !ok {
					continue // before the first line
				}
				want = strings.TrimSpace(want)
				got := w.do(strings.Fields(command)...)
				if text, holds := strings.CutPrefix(want, "~"); holds && strings.Contains(got, text) || strings.HasPrefix(got, want) {
					continue
				}
				t.Errorf("%s: %q, want %s", command, got, want)
			}
		})
	}
}
