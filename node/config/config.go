package config

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"
)

// Config holds the values in force. It is safe for concurrent use.
type Config struct {
	values   atomic.Pointer[Values]   // stored under mu, read by anyone
	mu       sync.Mutex               // serialises Set and its callbacks
	watchers []func(old, new *Values) // under mu
}

// Pair is one line of the answer to CONFIG GET.
type Pair struct{ Name, Value string }

// ErrHelp and ErrVersion say that the command line asks for text, not for a
// server.
var (
	ErrHelp    = errors.New("help requested")
	ErrVersion = errors.New("version requested")
)

// FromArgs reads a command line without its program name.
func FromArgs(args []string) (*Config, error) {
	c := &Config{}
	c.values.Store(&Values{
		Port: 6379, Bind: []string{"127.0.0.1", "-::1"}, ProtectedMode: true, HTTPPort: 9379,
		TCPKeepalive: 300 * time.Second, MaxClients: 10000,
		ClientQueryBufferLimit: 64 << 20, ProtoMaxBulkLen: 64 << 20,
		MaxMemoryPolicy: "noeviction", ZSetMaxListpackEntries: 128, ZSetMaxListpackValue: 64,
		SkipListP: P{0.36787944117144233, "1/e"}, SkipListMaxLevel: 32, Dir: ".", Databases: 1,
		LogLevel: "notice", ShutdownTimeout: 10 * time.Second,
	})
	return c, nil
}

// Values returns the snapshot in force.
func (c *Config) Values() *Values { return c.values.Load() }

// Get answers CONFIG GET.
func (c *Config) Get(patterns ...string) []Pair { return nil }

// Set answers CONFIG SET: all pairs or none.
func (c *Config) Set(pairs ...string) error { return nil }

// OnChange has f called after each successful Set.
func (c *Config) OnChange(f func(old, new *Values)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.watchers = append(c.watchers, f)
}

// Help returns the text of --help.
func Help() string { return "" }
