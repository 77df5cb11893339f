package node

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/command"
	"zset.dev/operator/node/config"
	"zset.dev/operator/node/gate"
	"zset.dev/operator/node/insync"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/persist"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/secure"
	"zset.dev/operator/node/shard"
	"zset.dev/operator/node/telemetry"
	"zset.dev/operator/zset"
)

// Options are what a Server is made of. Config is required.
type Options struct {
	Config     *config.Config
	Version    string
	ConfigFile string           // for INFO
	Log        *slog.Logger     // nil discards
	Now        func() time.Time // nil is the system's clock

	// WriteStall is how long a write may make no progress before the client
	// is closed; 0 is a minute.
	WriteStall time.Duration

	// SoftLimit is the bytes that the garbage collector is to keep the process
	// under, with what is outside of its heap (LimitMemory); 0 leaves it alone.
	SoftLimit int64

	// Keeper writes down which replicas are in sync; nil keeps that in memory, or in a shard's record.
	Keeper insync.Keeper

	// Shard is for a node that is one of a shard, which Config says.
	Shard *Shard

	// Disk is where data are kept; nil is the system's.
	Disk persist.Disk

	// Listen opens every port; nil is net.Listen.
	Listen func(network, address string) (net.Listener, error)
}

// Server is one node. Make it with New, open it with Start, then Run it.
type Server struct {
	options Options
	config  *config.Config
	log     *slog.Logger
	clock   *clock           // set by the sweep
	now     func() time.Time // its time, unless Options say otherwise
	started time.Time
	began   time.Time // by the system's clock
	runID   string

	table    *command.Table
	env      command.Env
	gate     *gate.Gate    // judges the replies of writes
	inSync   *insync.Watch // whom it waits for
	asked    atomic.Int64  // when replicas were last asked to confirm, Unix milliseconds
	stats    *telemetry.Stats
	keyspace *keyspace.Keyspace
	member   atomic.Pointer[shard.Member] // nil until the data is loaded, and for a node that is none of a shard
	followed *followed                    // by the primary's log, while the node is a replica
	clients  *client.Registry
	buffers  atomic.Int64 // bytes of all clients' buffers, and of what is pushed to them
	lasting  atomic.Int64 // what buffers was when the sweep last came by
	strain   atomic.Int64 // bytes by which the process takes too much, at the sweep's last look
	peak     atomic.Int64 // largest memory in use seen by the sweep

	heapLimit int64 // what limitHeap said last; owned by the sweep

	evictingClients sync.Mutex   // held by who looks which clients have to go
	clientsLook     atomic.Int64 // when that is worth while again, Unix nanoseconds

	listeners     []net.Listener // set by Start
	tlsListeners  []net.Listener // set by Start
	httpListeners []net.Listener // set by Start
	http          *http.Server   // set by Start

	connections sync.WaitGroup // one each; Run waits
	accepting   sync.WaitGroup // accept loops; Run waits
	background  sync.WaitGroup // sweep, eviction, reclaiming and HTTP; Run waits

	secure *secure.Keeper // nil when TLS is off

	stopOnce  sync.Once
	stopping  chan struct{} // closed when the stop begins
	stopBegan time.Time     // by the system's clock; set before stopping is closed
	serving   atomic.Bool

	handing    handover
	leaving    sync.Once     // the node leaves its shard before it stops
	leftFor    time.Duration // what that took; set before stopping is closed
	memberStop chan struct{} // closed when the node is to take no part in its shard any longer

	store   *persist.Store
	source  persist.Source   // what is loaded at the start; set by Start
	loaded  atomic.Bool      // that is done
	failure error            // why the node stops by itself; set before stopping is closed
	how     command.Shutdown // set before stopping is closed
}

// New makes a server that is not listening yet.
func New(o Options) (*Server, error) {
	if o.Config == nil {
		return nil, errors.New("node: Options.Config is required")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	clock := newClock()
	if o.Now == nil {
		o.Now = clock.Now
	}
	if o.WriteStall == 0 {
		o.WriteStall = time.Minute
	}
	if o.Listen == nil {
		o.Listen = net.Listen
	}
	table := command.NewTable()
	s := &Server{
		options: o, config: o.Config, log: o.Log, clock: clock, now: o.Now, started: o.Now(), began: time.Now(), runID: replication.NewID(),
		table: table, stats: telemetry.NewStats(table.Names()), keyspace: keyspace.New(), clients: client.NewRegistry(),
		stopping: make(chan struct{}), memberStop: make(chan struct{}),
	}
	s.env = command.Env{
		Replication: replication.New(replication.Options{
			RunID: s.runID, Keyspace: s.keyspace, Log: o.Log, Now: s.now, Journal: s.keyspace.Journal, Turning: func() { s.inSync.Reset() },
			Unlist: func(ctx context.Context, name string) error { return s.inSync.Exclude(ctx, name) },
			Stats:  s.stats, Version: command.ServerVersion, Functions: s.env.Functions,
			Settings: func() replication.Settings { return replicationSettings(o.Config.Values()) },
		}),
		Table: table, Keyspace: s.keyspace, Config: o.Config, Clients: s.clients, Stats: s.stats, Log: o.Log,
		Now: s.now, Tuning: func() *zset.Tuning { return o.Config.Values().Tuning }, UsedMemory: func() int64 { return s.usedMemory() + s.strain.Load() }, Lasting: s.lastingMemory, Facts: s.facts, Shutdown: s.stopShard,
	}
	s.gate = gate.New(s.env.Replication.Confirmations())
	s.env.Gate = s.gate
	s.inSync = s.watchSync(o.Keeper)
	s.env.Complete()
	s.openStore()
	s.env.Following = s.newFollowing()
	if err := s.joinShard(); err != nil {
		return nil, fmt.Errorf("cannot be a node of shard %q: %w", o.Config.Values().Shard.Name, err)
	}
	if err := s.env.LoadUsers(); err != nil {
		return nil, fmt.Errorf("cannot make the users: %w", err)
	}
	o.Config.OnChange(func(_, _ *config.Values) {
		s.clientsLook.Store(0)
		s.boundClients()
		s.env.Replication.SetKeep()
		s.inSync.Look()
		s.require()
	})
	s.inSync.Look()
	s.require()
	if values := o.Config.Values(); values.TLS.Port != 0 {
		s.secure = secure.NewKeeper(s.log, s.now, runtime.GOMAXPROCS(0))
		if err := s.secure.Start(values.TLS); err != nil {
			return nil, fmt.Errorf("cannot serve TLS: %w", err)
		}
		o.Config.BeforeChange(s.secure.Prepare)
	}
	return s, nil
}

// Start opens the ports. Connections wait in the kernel until Run.
func (s *Server) Start() error {
	if err := s.find(); err != nil {
		return err
	}
	values := s.config.Values()
	for _, l := range []struct {
		listeners *[]net.Listener
		addresses []string
		port      int
		directive string
		off       bool
	}{
		{&s.listeners, values.Bind, values.Port, "port", values.Port == 0 && values.TLS.Port != 0},
		{&s.tlsListeners, values.Bind, values.TLS.Port, "tls-port", values.TLS.Port == 0},
		{&s.httpListeners, values.HTTPAddresses(), values.HTTPPort, "http-port", values.HTTPPort == 0},
	} {
		if l.off {
			continue
		}
		var err error
		if *l.listeners, err = listenAll(s.options.Listen, l.addresses, l.port, l.directive); err != nil {
			closeAll(s.listeners)
			closeAll(s.tlsListeners)
			return err
		}
	}
	if len(s.httpListeners) == 0 {
		return nil
	}
	s.http = &http.Server{
		Handler:           telemetry.Handler(s.notReady, telemetry.NewRegistry(s.facts)),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 10 * time.Second, WriteTimeout: 30 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 16 << 10,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	return nil
}

// Addr is where RESP is served in plain, the first address when there are
// several; nil when it is off. Valid after Start.
func (s *Server) Addr() net.Addr { return firstAddr(s.listeners) }

// TLSAddr is where RESP is served over TLS, likewise.
func (s *Server) TLSAddr() net.Addr { return firstAddr(s.tlsListeners) }

// HTTPAddr is where HTTP is served, the first address when there are several;
// nil when it is off. Valid after Start.
func (s *Server) HTTPAddr() net.Addr { return firstAddr(s.httpListeners) }

func firstAddr(listeners []net.Listener) net.Addr {
	if len(listeners) == 0 {
		return nil
	}
	return listeners[0].Addr()
}

// Run serves until ctx is done or a client sends SHUTDOWN, then stops: no new
// connections, not ready, commands that have arrived are answered for at most
// shutdown-timeout, everything is closed. It returns once nothing of the
// server runs any more. The error is why it stopped by itself: what it has on
// disk cannot be loaded, or it cannot keep there what it is told to.
func (s *Server) Run(ctx context.Context) error {
	for _, l := range s.listeners {
		s.accepting.Go(func() { s.accept(l, s.welcome) })
	}
	for _, l := range s.tlsListeners {
		s.accepting.Go(func() { s.accept(l, s.welcomeSecure) })
	}
	if s.secure != nil {
		s.background.Go(func() { s.secure.Watch(s.stopping) })
	}
	for _, l := range s.httpListeners {
		s.background.Go(func() { s.http.Serve(l) })
	}
	s.background.Go(s.sweep)
	s.background.Go(func() { s.inSync.Run(s.stopping) })
	s.background.Go(func() { s.env.Eviction.Run(s.stopping) })
	s.background.Go(func() { s.keyspace.Reclaim(s.stopping) })
	s.background.Go(s.open)

	select {
	case <-ctx.Done():
		s.stopShard(command.Shutdown{})
		<-s.stopping
	case <-s.stopping:
	}
	s.drain()
	close(s.memberStop)
	s.env.Following.Close()
	if s.http != nil {
		// A probe under way is answered; the limit is for one that hangs.
		limit, cancel := context.WithTimeout(context.Background(), time.Second)
		s.http.Shutdown(limit)
		cancel()
		s.http.Close()
	}
	s.background.Wait()
	s.leave()
	s.log.Info("stopped")
	return s.failure
}

// open loads the data, and serves.
func (s *Server) open() {
	s.prepareToFollow()
	switch err := s.load(); {
	case err == nil:
		s.startFollowing()
		s.startMember()
		s.loaded.Store(true)
		s.serving.Store(true)
	case !s.isStopping():
		s.log.Error("stopping", "error", err)
		s.stop(command.Shutdown{Now: true, NoSave: true}, err)
	}
}

func closeAll(listeners []net.Listener) {
	for _, l := range listeners {
		l.Close()
	}
}
