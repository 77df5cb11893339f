package client

import (
	"slices"
	"sync"
	"sync/atomic"
)

// Registry is the connected clients. It may be used from any goroutine.
type Registry struct {
	lastID atomic.Uint64

	mu      sync.Mutex
	clients map[uint64]*Client // guarded by mu
}

// NewRegistry makes an empty one.
func NewRegistry() *Registry { return &Registry{clients: map[uint64]*Client{}} }

// NextID is a number never given before by this registry.
func (r *Registry) NextID() uint64 { return r.lastID.Add(1) }

// Add lists c unless limit clients are there already.
func (r *Registry) Add(c *Client, limit int) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.clients) >= limit {
		return false
	}
	r.clients[c.ID] = c
	return true
}

// Remove takes c off the list.
func (r *Registry) Remove(c *Client) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.clients, c.ID)
}

// Get is the client of that number, nil when it is not connected.
func (r *Registry) Get(id uint64) *Client {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.clients[id]
}

// Len is the number of connected clients.
func (r *Registry) Len() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.clients)
}

// Each calls f for every client, in no order. f must not block nor call the
// registry.
func (r *Registry) Each(f func(*Client)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.clients {
		f(c)
	}
}

// All is a copy of the list, oldest first.
func (r *Registry) All() []*Client {
	r.mu.Lock()
	all := make([]*Client, 0, len(r.clients))
	for _, c := range r.clients {
		all = append(all, c)
	}
	r.mu.Unlock()
	slices.SortFunc(all, func(a, b *Client) int {
		if a.ID < b.ID {
			return -1
		}
		return 1
	})
	return all
}
