package telemetry

import (
	"runtime"
	"time"

	"zset.dev/operator/node/persist"
)

// Facts is one reading of the node: all that INFO and the metrics print.
type Facts struct {
	Percentiles []Percentile // those printed of each command's time

	// Server.
	Version       string // the node's own
	Zone          string // as configured
	ServerVersion string // the protocol's commands it follows
	RunID         string // 40 hex digits, new at every start
	Port          int
	Executable    string
	ConfigFile    string
	ProcessID     int
	Started, Now  time.Time

	// Clients.
	Connected, MaxClients int
	QueryBytes            int64 // query buffers of all clients
	ReplyBytes            int64 // reply buffers of all clients
	LargestQuery          int64
	LargestReply          int64
	Blocked               int // in a blocking pop, or held by a pause
	Subscribed            int
	Watching              int
	Tracking              int

	Pause    time.Duration // what is left of it; 0 is none
	PauseAll bool          // not only of writes

	// What clients wait for and want to hear of.
	Channels, Patterns, ShardChannels          int
	WatchedKeys, AwaitedKeys                   int
	TrackedKeys, TrackedItems, TrackedPrefixes int

	// Memory.
	Used       int64 // keys, what they hold, and clients' buffers
	Dataset    int64 // keys and what they hold
	Tables     int64 // by which keys are found
	Peak       int64 // the largest Used seen
	Resident   int64 // the process, as the system counts it; 0 when unknown
	Limit      int64 // maxmemory; 0 is none
	SoftLimit  int64 // what the garbage collector keeps the process under; 0 is none
	Container  int64 // what this process may use: its container's limit, or the machine's memory; 0 when unknown
	Policy     string
	HeapInUse  int64 // of the Go runtime's heap
	HeapSystem int64 // what that has of the system

	// Outside the Go heap, where keys are.
	OffHeapInUse  int64
	OffHeapMapped int64 // had from the system

	// Keys that are moved together to give memory back.
	Defragging               bool
	DefragHits, DefragMisses int64 // moved, ever, and looked at in vain

	// Memory of keys that are gone.
	Reclaiming int64 // how many wait for theirs to be given back
	Reclaimed  int64 // of how many it was, ever

	// Keyspace.
	Keys, Expiring int
	Expired        int64 // ever
	Evicted        int64 // ever

	Persistence persist.Status

	// How long more memory was used than maxmemory allows.
	CurrentExceeded, TotalExceeded time.Duration

	// CPU, seconds.
	UserCPU, SystemCPU float64

	Replication Replication
	Following   *Following // nil for a primary
	Handover    string     // master_failover_state
	Shard       *Shard     // nil for a node that is none of one

	Ready bool // serving

	Scripts Scripts

	TLS *TLS // nil when it is off

	Stats *Stats
}

// Scripts is what is kept of scripts and of libraries of functions. Compiled is
// about what the code made of the texts takes.
type Scripts struct {
	Scripts, Libraries, Functions int
	ScriptText, ScriptCompiled    int64
	LibraryText, LibraryCompiled  int64
	Evicted                       int64 // scripts that made room for others since the last reset
}

// TLS is what clients that encrypt are served with.
type TLS struct {
	Serial        string // of the certificate in use, hexadecimal
	Expires       time.Time
	CASerial      string // of the authority that expires first; "" when there is none
	CAExpires     time.Time
	Reloads       int64  // new files taken
	ReloadFailure string // why the files there are not in use; "" when they are
}

// Active is the memory that pages in use take, in the Go heap and outside.
func (f *Facts) Active() int64 { return f.HeapInUse + f.OffHeapMapped }

// System is the memory had from the system, in the Go heap and outside.
func (f *Facts) System() int64 { return f.HeapSystem + f.OffHeapMapped }

// Uptime is how long the node has run.
func (f *Facts) Uptime() time.Duration { return f.Now.Sub(f.Started) }

// ReadProcess fills in what the operating system and the runtime know of this
// process.
func (f *Facts) ReadProcess() {
	var heap runtime.MemStats
	runtime.ReadMemStats(&heap)
	f.HeapInUse, f.HeapSystem = int64(heap.HeapInuse), int64(heap.Sys-heap.HeapReleased)
	f.Resident = residentBytes()
	f.UserCPU, f.SystemCPU = cpuSeconds()
}
