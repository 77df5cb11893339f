package config

import (
	"math"
	"slices"
	"time"
)

// table describes every directive. The parser, the flags, CONFIG, --help and
// docs/configuration.md come from it; a new directive is a row here and a
// field in Values. Those of one subject may stand in a file of their own.
var table = slices.Concat(general, replicating, followed, sharded)

var general = []directive{
	{
		name: "port", group: network, initial: "6379",
		doc:  "TCP port of RESP; 0 = off if there is a tls-port, else any free one",
		kind: integer(func(v *Values) *int { return &v.Port }, 0, 65535),
	},
	{
		name: "bind", group: network, initial: "127.0.0.1 -::1",
		doc:  "addresses RESP listens on",
		kind: addresses(func(v *Values) *[]string { return &v.Bind }, false),
	},
	{
		name: "protected-mode", group: network, initial: "yes", live: true,
		doc: "without a password, serve clients of this machine only",
		note: "In force while `requirepass` is empty, whatever `bind` says, as in current Redis and Valkey. " +
			"In Kubernetes the operator turns it off, since every client there comes from another address; " +
			"who may connect is then the matter of `requirepass` and network policies.",
		kind: yesNo(func(v *Values) *bool { return &v.ProtectedMode }),
	},
	{
		name: "tcp-keepalive", group: network, initial: "300", live: true,
		doc:  "seconds between TCP keepalive probes of idle clients; 0 = none",
		kind: seconds(func(v *Values) *time.Duration { return &v.TCPKeepalive }),
	},
	{
		name: "availability-zone", group: network, initial: "", live: true,
		doc:  "where the node runs, for clients that prefer a near one: HELLO and INFO tell it",
		note: "As in Valkey. In Kubernetes this is the zone of the pod's machine.",
		kind: text("any text", func(v *Values) *string { return &v.AvailabilityZone }),
	},
	{
		name: "http-port", group: network, initial: "9379",
		doc:  "TCP port of /livez, /readyz and /metrics; 0 = off",
		kind: integer(func(v *Values) *int { return &v.HTTPPort }, 0, 65535),
	},
	{
		name: "http-bind", group: network, initial: "",
		doc:  "addresses HTTP listens on; empty = those of bind",
		kind: addresses(func(v *Values) *[]string { return &v.HTTPBind }, true),
	},

	{
		name: "tls-port", group: encryption, initial: "0",
		doc:  "TCP port of RESP over TLS; 0 = off",
		note: "Beside `port`, or instead of it with `port 0`. HTTP stays plain: see [TLS](tls.md).",
		kind: integer(func(v *Values) *int { return &v.TLS.Port }, 0, 65535),
	},
	{
		name: "tls-cert-file", group: encryption, initial: "", live: true,
		doc: "PEM file of the node's certificate and those between it and its authority",
		note: "CONFIG SET of any directive of this group reads all files at once, also when its value stays the same; files that cannot be " +
			"used are refused, with the reason, and what was in use stays.",
		kind: text("a path", func(v *Values) *string { return &v.TLS.CertFile }),
	},
	{
		name: "tls-key-file", group: encryption, initial: "", live: true,
		doc:  "PEM file of the certificate's private key",
		kind: text("a path", func(v *Values) *string { return &v.TLS.KeyFile }),
	},
	{
		name: "tls-key-file-pass", group: encryption, initial: "",
		doc: "password of the private key; keys are not encrypted",
		kind: only("", "encrypted keys are not read, since their password would lie beside them; write the key in plain (openssl pkey) "+
			"and guard the file by its mode or as a Secret"),
	},
	{
		name: "tls-ca-cert-file", group: encryption, initial: "", live: true,
		doc:  "PEM file of the authorities whose client certificates are good",
		kind: text("a path", func(v *Values) *string { return &v.TLS.CACertFile }),
	},
	{
		name: "tls-ca-cert-dir", group: encryption, initial: "", live: true,
		doc:  "folder of PEM files of such authorities; all files in it count",
		kind: text("a path", func(v *Values) *string { return &v.TLS.CACertDir }),
	},
	{
		name: "tls-auth-clients", group: encryption, initial: "yes", live: true,
		doc:  "whether clients need a certificate; optional: one they show must be good",
		kind: oneOf(func(v *Values) *string { return &v.TLS.AuthClients }, "no", "yes", "optional"),
	},
	{
		name: "tls-auth-clients-user", group: encryption, initial: "off", live: true,
		doc:  "cn: a client is the user its verified certificate names as common name",
		note: "Whoever names no user that is on stays what every client is at first. Valkey's `URI` is not offered.",
		kind: oneOf(func(v *Values) *string { return &v.TLS.AuthClientsUser }, "off", "cn"),
	},
	{
		name: "tls-protocols", group: encryption, initial: "", live: true,
		doc:  "versions of TLS",
		kind: tlsProtocols,
	},
	{
		name: "tls-ciphers", group: encryption, initial: "", live: true,
		doc:  "ciphers of TLS 1.2",
		kind: tlsCiphers,
	},
	{
		name: "tls-ciphersuites", group: encryption, initial: "", live: true,
		doc:  "ciphers of TLS 1.3, which cannot be chosen",
		kind: tlsCiphersuites,
	},
	{
		name: "tls-prefer-server-ciphers", group: encryption, initial: "no", live: true,
		doc:  "accepted; the fastest cipher that both sides run in hardware is taken",
		kind: yesNo(func(v *Values) *bool { return &v.TLS.ServerOrder }),
	},
	{
		name: "tls-session-caching", group: encryption, initial: "yes", live: true,
		doc:  "whether clients may resume sessions, by tickets they keep",
		note: "Tickets are void once a certificate or an authority changes.",
		kind: yesNo(func(v *Values) *bool { return &v.TLS.SessionCaching }),
	},
	{
		name: "tls-auto-reload-interval", group: encryption, initial: "10", live: true,
		doc: "seconds between two looks whether the files of this group changed; 0 = only CONFIG SET reads them",
		note: "Valkey, which has this since 9.1, defaults to 0. What counts is the content, so a Secret that Kubernetes swaps by a symbolic link is seen. " +
			"Connections stay as they are.",
		kind: seconds(func(v *Values) *time.Duration { return &v.TLS.ReloadInterval }),
	},
	{
		name: "tls-replication", group: encryption, initial: "no", live: true,
		doc:  "connect to a primary over TLS, with the node's certificate",
		note: "The primary's certificate must be of an authority of `tls-ca-cert-file` or `tls-ca-cert-dir`; its names are not compared, as in real servers.",
		kind: yesNo(func(v *Values) *bool { return &v.Following.TLS }),
	},
	{
		name: "tls-cluster", group: encryption, initial: "no",
		doc:  "encrypt the cluster bus; there is none",
		kind: only("no", "this version serves all keys from one node"),
	},

	{
		name: "requirepass", group: clients, initial: "", live: true,
		doc:  "password clients must give with AUTH or HELLO; empty = none",
		kind: text(`any text; "" = none`, func(v *Values) *string { return &v.RequirePass }),
	},
	{
		name: "maxclients", group: clients, initial: "10000", live: true,
		doc:  "connections at once; further ones are refused",
		kind: integer(func(v *Values) *int { return &v.MaxClients }, 1, math.MaxUint32),
	},
	{
		name: "timeout", group: clients, initial: "0", live: true,
		doc:  "seconds after which an idle client is closed; 0 = never",
		kind: seconds(func(v *Values) *time.Duration { return &v.Timeout }),
	},
	{
		name: "client-query-buffer-limit", group: clients, initial: "64mb", live: true,
		doc: "bytes of unfinished commands one client may make the node hold",
		note: "Redis and Valkey default to 1gb, more than many a node has in all: one client could exhaust it by never " +
			"finishing a command. 64mb holds a ZADD of a million members of ordinary length. A client that exceeds it is closed.",
		kind: size(func(v *Values) *int64 { return &v.ClientQueryBufferLimit }, 1<<20),
	},
	{
		name: "proto-max-bulk-len", group: clients, initial: "64mb", live: true,
		doc: "bytes of the longest single argument of a command",
		note: "An argument waits in the query buffer until its command is whole, so the smaller of this and " +
			"`client-query-buffer-limit` counts; raise both for longer arguments.",
		kind: size(func(v *Values) *int64 { return &v.ProtoMaxBulkLen }, 1<<20),
	},
	{
		name: "client-output-buffer-limit", group: clients, live: true,
		initial: "normal 256mb 0 0 replica 256mb 64mb 60 pubsub 32mb 8mb 60",
		doc:     "bytes of replies that may wait for a client before it is closed, by class",
		note: "Redis and Valkey let normal clients hold any amount (`normal 0 0 0`); here they are bounded, so that one that " +
			"asks for much and reads nothing cannot exhaust the node. Classes that are not named keep their limits. " +
			"CONFIG GET calls the replica class `slave`, the name clients know.",
		kind: outputLimits,
	},

	{
		name: "notify-keyspace-events", group: clients, initial: "", live: true,
		doc: "events about keys that are published to subscribers, by letters; empty = none",
		note: "`K` publishes to `__keyspace@0__:<key>`, `E` to `__keyevent@0__:<event>`; at least one of them is needed. Classes: `g` generic " +
			"(del, expire, rename…), `z` sorted sets, `x` expired, `e` evicted, `n` new keys, `m` missed reads; `A` is all but `n` and `m`. " +
			"Letters of other data types are accepted and cause nothing.",
		kind: keyEvents,
	},
	{
		name: "tracking-table-max-keys", group: clients, initial: "1000000", live: true,
		doc:  "keys remembered for clients that cache on their side; 0 = any number",
		note: "Above it keys are forgotten, their readers told that they changed.",
		kind: integer(func(v *Values) *int { return &v.TrackingTableMaxKeys }, 0, math.MaxInt),
	},

	{
		name: "user", group: access, initial: "", hidden: true,
		doc: "a user, with the rules of ACL SETUSER; one line each",
		note: "For example `user reader on >secret ~scores:* +@read`. In force after `requirepass`; not together with `aclfile`. " +
			"CONFIG GET does not answer it, ACL LIST does.",
		kind: users,
	},
	{
		name: "aclfile", group: access, initial: "",
		doc: "file with all users, one `user` line each; empty = none",
		note: "Read at the start and by ACL LOAD, written by ACL SAVE; a relative path starts at `dir`. The file must be there. " +
			"A default user it does not name may do everything.",
		kind: text(`a path; "" = none`, func(v *Values) *string { return &v.ACLFile }),
	},
	{
		name: "acllog-max-len", group: access, initial: "128", live: true,
		doc:  "entries of ACL LOG",
		kind: integer(func(v *Values) *int { return &v.ACLLogMaxLen }, 0, 1_000_000),
	},
	{
		name: "acl-pubsub-default", group: access, initial: "resetchannels", live: true,
		doc:  "channels of a new user: allchannels or resetchannels, which is none",
		kind: oneOf(func(v *Values) *string { return &v.ACLPubsubDefault }, "allchannels", "resetchannels"),
	},
	{
		name: "enable-debug-command", group: access, initial: "no",
		doc:  "who may use DEBUG: nobody, clients of this machine, or all",
		kind: oneOf(func(v *Values) *string { return &v.EnableDebug }, "no", "local", "yes"),
	},

	{
		name: "busy-reply-threshold", aliases: []string{"lua-time-limit"}, group: slow, initial: "5000", live: true,
		doc:  "milliseconds after which clients that need a running script's keys are told BUSY; 0 = never",
		kind: integer(func(v *Values) *int { return &v.BusyReplyThreshold }, 0, math.MaxInt32),
	},
	{
		name: "slowlog-log-slower-than", aliases: []string{"commandlog-execution-slower-than"}, group: slow, initial: "10000", live: true,
		doc:  "microseconds from which on a command is in SLOWLOG; 0 = all, -1 = none",
		kind: integer(func(v *Values) *int { return &v.SlowLogSlowerThan }, -1, math.MaxInt),
	},
	{
		name: "slowlog-max-len", aliases: []string{"commandlog-slow-execution-max-len"}, group: slow, initial: "128", live: true,
		doc:  "entries of SLOWLOG",
		kind: integer(func(v *Values) *int { return &v.SlowLogMaxLen }, 0, 1_000_000),
	},
	{
		name: "latency-monitor-threshold", group: slow, initial: "0", live: true,
		doc:  "milliseconds from which on an event is in LATENCY LATEST; 0 = none",
		kind: integer(func(v *Values) *int { return &v.LatencyMonitorThreshold }, 0, math.MaxInt),
	},
	{
		name: "latency-tracking", group: slow, initial: "yes", live: true,
		doc:  "keep the distribution of each command's time, for LATENCY HISTOGRAM and INFO latencystats",
		kind: yesNo(func(v *Values) *bool { return &v.LatencyTracking }),
	},
	{
		name: "latency-tracking-info-percentiles", group: slow, initial: "50 99 99.9", live: true,
		doc:  "percentiles that INFO latencystats prints",
		kind: percentiles,
	},

	{
		name: "maxmemory", group: memory, initial: "0", live: true,
		doc: "bytes of data the node may hold, or a share of the container's memory limit, as 75%; 0 = no limit",
		note: "A share is taken when the directive is set: of the lowest memory limit of the process's control groups " +
			"(version 1 or 2, its own and those above), or of the machine's memory when there is none. Systems without /proc, " +
			"such as macOS, refuse a percentage. CONFIG GET answers bytes.",
		kind: maxMemory,
	},
	{
		name: "maxmemory-policy", group: memory, initial: "noeviction", live: true,
		doc: "which keys make room above maxmemory: of all, or of those that expire",
		note: "The least recently used (`lru`), the least frequently used (`lfu`), any (`random`), or those that expire first (`ttl`). " +
			"`noeviction` refuses commands that need memory, as do the others when no key can go. A change takes what is known of keys along: " +
			"a key used two minutes ago is that under LRU and LFU, only how often it was used has to be seen anew.",
		kind: oneOf(func(v *Values) *string { return &v.MaxMemoryPolicy }, evictionPolicies...),
	},
	{
		name: "activedefrag", group: memory, initial: "yes", live: true,
		doc:  "whether keys are moved together, so that what was removed between them goes back to the system",
		note: "In the background. It takes at most a hundredth of one processor, while there is as much to gain as the next two directives say.",
		kind: yesNo(func(v *Values) *bool { return &v.Defrag }),
	},
	{
		name: "active-defrag-threshold-lower", group: memory, initial: "10", live: true,
		doc:  "percent that what was got from the system must be above what is in use for keys to be moved",
		kind: integer(func(v *Values) *int { return &v.DefragPercent }, 0, 1000),
	},
	{
		name: "active-defrag-ignore-bytes", group: memory, initial: "100mb", live: true,
		doc:  "bytes that it must be above that, too",
		kind: size(func(v *Values) *int64 { return &v.DefragBytes }, 1),
	},
	{
		name: "maxmemory-clients", group: memory, initial: "0", live: true,
		doc: "bytes all clients together may take, or a share of maxmemory, as 5%; 0 = no limit",
		note: "Above it the clients that take most are closed, except those that asked not to be (CLIENT NO-EVICT ON). " +
			"A share needs maxmemory to be set. At least 128kb are left to clients.",
		kind: clientMemory,
	},
	{
		name: "maxmemory-samples", group: memory, initial: "5", live: true,
		doc:  "keys that are looked at for each one evicted; more find better ones and take longer",
		kind: integer(func(v *Values) *int { return &v.MaxMemorySamples }, 1, 64),
	},
	{
		name: "maxmemory-eviction-tenacity", group: memory, initial: "10", live: true,
		doc: "how long one command evicts before it leaves the rest to the background; 100 = until there is room",
		note: "At 0 not at all. Up to 10 it is 50 microseconds for each step, so 500 by default; from there on each step takes 15 % more, up to two minutes at 99. " +
			"The background keeps evicting, and commands it has not caught up with run.",
		kind: integer(func(v *Values) *int { return &v.EvictionTenacity }, 0, 100),
	},
	{
		name: "lfu-log-factor", group: memory, initial: "10", live: true,
		doc:  "how slowly the count of uses grows under LFU: its top, 255, stands for about a million uses at 10",
		kind: integer(func(v *Values) *int { return &v.LFULogFactor }, 0, math.MaxInt32),
	},
	{
		name: "lfu-decay-time", group: memory, initial: "1", live: true,
		doc:  "minutes without use that take one off the count of uses under LFU; 0 = never",
		kind: integer(func(v *Values) *int { return &v.LFUDecayTime }, 0, math.MaxInt32),
	},

	{
		name: "zset-max-listpack-entries", aliases: []string{"zset-max-ziplist-entries"}, group: sortedSets, initial: "128", live: true,
		doc: "members up to which a set stays a compact listpack; 0 = never one",
		note: "A change of this and the next three holds for what is written from then on: a set converts at its next write, " +
			"and never from a skip list back to a listpack.",
		kind: integer(func(v *Values) *int { return &v.ZSetMaxListpackEntries }, 0, math.MaxInt),
	},
	{
		name: "zset-max-listpack-value", aliases: []string{"zset-max-ziplist-value"}, group: sortedSets, initial: "64", live: true,
		doc:  "bytes of the longest member a listpack takes",
		kind: listpackValue,
	},
	{
		name: "zset-skiplist-p", group: sortedSets, initial: "1/e", live: true,
		doc:  "share of skip-list towers that reach one level higher: 1/e or a decimal up to 0.75",
		note: "Less saves memory, more shortens searches, up to about 1/e. CONFIG GET answers `1/e` or the shortest decimal.",
		kind: skipListP,
	},
	{
		name: "zset-skiplist-max-level", group: sortedSets, initial: "32", live: true,
		doc:  "highest level of a skip list, 1 to 64",
		kind: skipListMaxLevel,
	},
	{
		name: "zset-skiplist-block-entries", group: sortedSets, initial: "64", live: true,
		doc:  "members next to each other in order that share a node of the skip list, 4 to 240",
		note: "More saves memory, and makes writes to large sets slower. Nodes that exist keep their size until they fill up.",
		kind: skipListBlockEntries,
	},

	{
		name: "dir", group: data, initial: ".",
		doc:  "working directory",
		kind: text("a path", func(v *Values) *string { return &v.Dir }),
	},
	{
		name: "databases", group: data, initial: "1",
		doc: "number of databases; there is one",
		note: "Cluster clients know one database only, and the node is the same whether clustered or not. " +
			"Keep other data apart by a prefix of its keys or in a cluster of its own.",
		kind: only("1", "the node has one database; keep data apart by key prefixes"),
	},
	{
		name: "save", group: data, initial: `""`, live: true,
		doc: "when to save dump.rdb by itself: seconds since the last save and changes since, in pairs; \"\" = never",
		note: "Redis and Valkey have `3600 1 300 100 60 10000` where nothing is said. Here nothing is written to disk unless it is asked for. " +
			"With any pair, SHUTDOWN and SIGTERM save, too. Pairs stand on one line: of several lines the last one counts.",
		kind: savePoints,
	},
	{
		name: "dbfilename", group: data, initial: "dump.rdb",
		doc:  "name of the file SAVE and BGSAVE write, in dir",
		kind: fileName(func(v *Values) *string { return &v.DBFilename }),
	},
	{
		name: "stop-writes-on-bgsave-error", group: data, initial: "yes", live: true,
		doc:  "refuse writes after a save failed that save asked for, until one works",
		kind: yesNo(func(v *Values) *bool { return &v.StopWritesOnSaveError }),
	},
	{
		name: "rdbcompression", group: data, initial: "yes", live: true,
		doc:  "accepted; files are not compressed, since sorted sets hardly get smaller",
		kind: yesNo(func(v *Values) *bool { return &v.RDBCompression }),
	},
	{
		name: "rdbchecksum", group: data, initial: "yes",
		doc:  "accepted; files have a checksum, and one that is there is compared",
		kind: yesNo(func(v *Values) *bool { return &v.RDBChecksum }),
	},
	{
		name: "rdb-save-incremental-fsync", group: data, initial: "yes", live: true,
		doc:  "accepted; a file is handed to the disk while it is written",
		kind: yesNo(func(v *Values) *bool { return &v.RDBIncrementalSync }),
	},
	{
		name: "rdb-del-sync-files", group: data, initial: "no", live: true,
		doc:  "accepted; a full sync leaves no file",
		kind: yesNo(func(v *Values) *bool { return &v.RDBDelSyncFiles }),
	},
	{
		name: "appendonly", group: data, initial: "no", live: true,
		doc: "keep every change on disk, in append-only files",
		note: "With `yes` a node begins with what is in `appenddirname`, else in an old `appendfilename` in `dir`, else in `dbfilename`: " +
			"[Persistence](persistence.md).",
		kind: yesNo(func(v *Values) *bool { return &v.AppendOnly }),
	},
	{
		name: "appendfilename", group: data, initial: "appendonly.aof",
		doc:  "what the names of the append-only files begin with",
		kind: fileName(func(v *Values) *string { return &v.AppendFilename }),
	},
	{
		name: "appenddirname", group: data, initial: "appendonlydir",
		doc:  "folder of the append-only files, in dir",
		kind: fileName(func(v *Values) *string { return &v.AppendDirname }),
	},
	{
		name: "appendfsync", group: data, initial: "everysec", live: true,
		doc:  "when what was appended is on disk: before writes are answered, within a second, or at will",
		kind: oneOf(func(v *Values) *string { return &v.AppendFsync }, "everysec", "always", "no"),
	},
	{
		name: "no-appendfsync-on-rewrite", group: data, initial: "no", live: true,
		doc:  "fsync nothing while a save or rewrite runs, unless appendfsync is always",
		kind: yesNo(func(v *Values) *bool { return &v.NoFsyncOnRewrite }),
	},
	{
		name: "auto-aof-rewrite-percentage", group: data, initial: "100", live: true,
		doc:  "rewrite the append-only files once they grew by so many hundredths of what they were; 0 = never",
		kind: integer(func(v *Values) *int { return &v.AutoRewritePercent }, 0, math.MaxInt32),
	},
	{
		name: "auto-aof-rewrite-min-size", group: data, initial: "64mb", live: true,
		doc:  "bytes below which they are not rewritten by themselves",
		kind: size(func(v *Values) *int64 { return &v.AutoRewriteMinSize }, 0),
	},
	{
		name: "aof-load-truncated", group: data, initial: "yes", live: true,
		doc:  "at the start, cut off a command that the last append-only file has only the beginning of, as a crash leaves it",
		note: "What is cut off is kept in a file beside, and the log says how much it was. With `no` such a file is refused.",
		kind: yesNo(func(v *Values) *bool { return &v.LoadTruncated }),
	},
	{
		name: "aof-load-corrupt-tail-max-size", group: data, initial: "0", live: true,
		doc:  "bytes at the end of the last append-only file that are cut off though they are no commands",
		note: "As in Redis 8.4; 0 is none. Zeros, which a power cut leaves in a file, count as a command without its end and are cut off in any case.",
		kind: size(func(v *Values) *int64 { return &v.LoadCorruptTail }, 0),
	},
	{
		name: "aof-use-rdb-preamble", group: data, initial: "yes", live: true,
		doc:  "the base of the append-only files is an RDB file",
		kind: only("yes", "the base is always an RDB file"),
	},
	{
		name: "aof-rewrite-incremental-fsync", group: data, initial: "yes", live: true,
		doc:  "accepted; a base is handed to the disk while it is written",
		kind: yesNo(func(v *Values) *bool { return &v.AOFIncrementalSync }),
	},
	{
		name: "aof-timestamp-enabled", group: data, initial: "no",
		doc:  "times in the append-only files",
		kind: only("no", "append-only files have no times"),
	},
	{
		name: "skip-other-types", group: data, initial: "no", live: true,
		doc:  "leave out keys that hold something else instead of refusing the file or primary",
		note: "Something else is any other type, and any other database than 0. How many keys were left out is in the log and in INFO. What was left out is lost once the node saves.",
		kind: yesNo(func(v *Values) *bool { return &v.SkipOtherTypes }),
	},

	{
		name: "loglevel", group: process, initial: "notice", live: true,
		doc:  "least important message that is logged: debug, verbose, notice, warning, nothing",
		kind: oneOf(func(v *Values) *LogLevel { return &v.LogLevel }, "debug", "verbose", "notice", "warning", "nothing"),
	},
	{
		name: "logfile", group: process, initial: "",
		doc:  "file the log is appended to; empty = standard output",
		kind: text(`a path; "" = standard output`, func(v *Values) *string { return &v.LogFile }),
	},
	{
		name: "shutdown-timeout", group: process, initial: "10", live: true,
		doc:  "seconds a stopping node waits for commands in progress",
		kind: seconds(func(v *Values) *time.Duration { return &v.ShutdownTimeout }),
	},
	{
		name: "daemonize", group: process, initial: "no",
		doc:  "run in the background; a service manager does that",
		kind: only("no", "the node runs in the foreground; let a service manager or a shell's & start it"),
	},
	{
		name: "supervised", group: process, initial: "no",
		doc:  "tell a service manager about readiness; it asks /readyz instead",
		kind: only("no", "the node tells its readiness at /readyz of http-port"),
	},
	{
		name: "cluster-enabled", group: process, initial: "no",
		doc:  "serve a part of the slots of a cluster; not in this version",
		kind: only("no", "this version serves all keys from one node"),
	},
}
