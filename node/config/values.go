package config

import (
	"log/slog"
	"time"

	"zset.dev/operator/zset"
)

// Values is one immutable snapshot of every directive. Whoever holds one may
// read it from any goroutine for as long as it likes; nobody may change it or
// what its slices hold.
type Values struct {
	// Network.
	Port          int           // TCP port of RESP; 0 = off if TLS has a port, else a free one the system chooses
	Bind          []string      // addresses of RESP, as written; see ParseBind
	ProtectedMode bool          // serve clients of this machine only while the default user needs no password, whatever Bind says
	HTTPPort      int           // TCP port of /livez, /readyz and /metrics; 0 = off
	HTTPBind      []string      // addresses of HTTP, as written; nil = those of Bind
	TCPKeepalive  time.Duration // period of TCP keepalive probes; 0 = none
	TLS           TLS

	AvailabilityZone string // what HELLO and INFO tell clients; "" = not known

	// Clients.
	RequirePass             string        // password of the default user; "" = none
	MaxClients              int           // connections at once
	Timeout                 time.Duration // idle time after which a client is closed; 0 = never
	ClientQueryBufferLimit  int64         // bytes of unread commands one client may make the node hold
	ProtoMaxBulkLen         int64         // bytes of the longest single argument
	ClientOutputBufferLimit OutputBufferLimits
	NotifyKeyspaceEvents    KeyEvents
	TrackingTableMaxKeys    int // 0 = any number

	// Who may do what.
	Users            [][]string // name and rules of each user line; the rules unchecked
	ACLFile          string     // relative to Dir; "" = none
	ACLLogMaxLen     int        // entries
	ACLPubsubDefault string     // "allchannels" or "resetchannels": what new users start with
	EnableDebug      string     // who may use DEBUG: "no", "local" or "yes"

	// Slow commands.
	BusyReplyThreshold      int // milliseconds a script may run before others are told; 0 = any
	SlowLogSlowerThan       int // microseconds; negative = nothing is logged
	SlowLogMaxLen           int // entries
	LatencyMonitorThreshold int // milliseconds; 0 = off
	LatencyTracking         bool
	LatencyPercentiles      []Percentile

	// Memory.
	MaxMemory        MemoryLimit
	MaxMemoryPolicy  string // one of evictionPolicies
	MaxMemoryClients ClientMemory
	Defrag           bool
	DefragPercent    int   // memory fragmented, in hundredths of that in use
	DefragBytes      int64 // memory fragmented
	MaxMemorySamples int   // keys looked at for each one evicted
	EvictionTenacity int   // 0 to 100: how long a command evicts
	LFULogFactor     int
	LFUDecayTime     int // minutes; 0 = counts never fall

	// Sorted sets.
	ZSetMaxListpackEntries int // members; 0 = never a listpack
	ZSetMaxListpackValue   int // bytes of a member
	SkipListP              P
	SkipListMaxLevel       int // levels
	SkipListBlockEntries   int // members
	// Tuning is the five above as the engine takes them; the same pointer as
	// long as they do not change.
	Tuning *zset.Tuning

	// Data on disk.
	Dir        string // working directory
	Databases  int    // 1
	Save       []SavePoint
	DBFilename string // in Dir

	StopWritesOnSaveError bool
	RDBCompression        bool // accepted only
	RDBChecksum           bool // accepted only
	RDBIncrementalSync    bool // accepted only
	RDBDelSyncFiles       bool // accepted only

	AppendOnly         bool
	AppendFilename     string // what names of files begin with
	AppendDirname      string // in Dir
	AppendFsync        string // "always", "everysec" or "no"
	NoFsyncOnRewrite   bool
	AutoRewritePercent int   // 0 = never
	AutoRewriteMinSize int64 // bytes
	LoadTruncated      bool
	LoadCorruptTail    int64 // bytes
	AOFIncrementalSync bool  // accepted only

	SkipOtherTypes bool // leave out keys that cannot be held instead of refusing what has them

	// Replication.
	Replication Replication
	Following   Following
	Shard       Shard

	// Process.
	LogLevel        LogLevel
	LogFile         string        // "" = standard output
	ShutdownTimeout time.Duration // longest wait for clients and replicas when stopping
}

// Percentile is one of those INFO prints of latencies.
type Percentile struct {
	Value float64 // 0 to 100
	Text  string
}

// SavePoint is when to save: once so much time has passed since the last save, and so many changes were made.
type SavePoint struct {
	After   time.Duration
	Changes int64
}

// MemoryLimit is the value of maxmemory.
type MemoryLimit struct {
	Bytes int64  // 0 = no limit
	Text  string // as written: "100mb", "75%"; a share was taken of the container's limit when the directive was set
}

// ClientMemory is the value of maxmemory-clients: bytes, or a share of
// maxmemory.
type ClientMemory struct {
	Bytes   int64 // 0 = no limit, unless Percent is set
	Percent int   // of maxmemory, 1 to 100; 0 = Bytes counts
}

// Of returns the bytes for a node with that maxmemory; 0 = no limit.
func (m ClientMemory) Of(maxMemory int64) int64 {
	if m.Percent > 0 {
		return maxMemory / 100 * int64(m.Percent)
	}
	return m.Bytes
}

// P is the probability that a skip-list node has one more level.
type P struct {
	Value float64
	Text  string // canonical: "1/e", or the shortest decimal that reads back to Value
}

// OutputBufferLimits bounds the replies that wait for a client, by the kind
// of client.
type OutputBufferLimits struct {
	Normal, Replica, PubSub OutputBufferLimit
}

// OutputBufferLimit closes a client when its waiting replies exceed Hard, or
// exceed Soft for SoftFor without a break. 0 bytes = no such limit.
type OutputBufferLimit struct {
	Hard, Soft int64 // bytes
	SoftFor    time.Duration
}

// LogLevel is the least important message that is logged: "debug",
// "verbose", "notice", "warning" or "nothing".
type LogLevel string

// Level returns the slog level below which nothing is logged.
func (l LogLevel) Level() slog.Level {
	switch l {
	case "debug":
		return slog.LevelDebug
	case "verbose":
		return slog.LevelDebug + 2
	case "warning":
		return slog.LevelWarn
	case "nothing":
		return slog.LevelError + 100
	}
	return slog.LevelInfo
}

// HTTPAddresses returns the addresses HTTP listens on: HTTPBind, or Bind when
// http-bind was not given.
func (v *Values) HTTPAddresses() []string {
	if v.HTTPBind != nil {
		return v.HTTPBind
	}
	return v.Bind
}
