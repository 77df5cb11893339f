package node

import (
	"cmp"
	"slices"
	"time"

	"zset.dev/operator/node/client"
)

// leastClientRoom is the smallest limit of maxmemory-clients that is kept:
// below it nobody could say that it is too small.
const leastClientRoom = 128 << 10

// clientRoom is the bytes all clients together may take; 0 is any number.
func (s *Server) clientRoom() int64 {
	values := s.config.Values()
	limit := values.MaxMemoryClients.Of(values.MaxMemory.Bytes)
	if limit > 0 {
		limit = max(limit, leastClientRoom)
	}
	return limit
}

// consumer is what a client takes.
type consumer struct {
	client *client.Client
	bytes  int64
	exempt bool // CLIENT NO-EVICT, or a replica
}

// tooMuch is who has to go so that all together take no more than limit: those
// that take most, of equals those that came first.
func tooMuch(all []consumer, limit int64) (victims []consumer) {
	var sum int64
	for _, c := range all {
		sum += c.bytes
	}
	if sum <= limit {
		return nil
	}
	slices.SortFunc(all, func(a, b consumer) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.client.ID, b.client.ID))
	})
	for _, c := range all {
		if sum <= limit {
			break
		}
		if !c.exempt {
			sum -= c.bytes
			victims = append(victims, c)
		}
	}
	return victims
}

// clientsRest is how long nobody looks who could go after a look that found
// nobody: the rest is exempt, or on its way out.
const clientsRest = 50 * time.Millisecond

// boundClients closes clients while all together take more than they may. It
// looks at each of them only when the sum says that there may be something to
// find.
func (s *Server) boundClients() {
	if limit := s.clientRoom(); limit > 0 && s.buffers.Load() > limit && time.Now().UnixNano() >= s.clientsLook.Load() {
		s.evictClients(limit)
	}
}

func (s *Server) evictClients(limit int64) {
	s.evictingClients.Lock()
	defer s.evictingClients.Unlock()
	var all []consumer
	s.clients.Each(func(cl *client.Client) {
		all = append(all, consumer{cl, cl.Memory(), cl.NoEvict.Load() || cl.Is(client.Following|client.Leading)})
	})
	victims := tooMuch(all, limit)
	for _, c := range victims {
		// Its goroutine will give the memory back; from here on it is nobody's.
		c.client.Enter(client.Evicted)
		s.clients.Remove(c.client)
		s.stats.ClientsEvicted.Add(1)
		s.log.Warn("closed a client since all together take too much memory", "client", c.client.Addr, "bytes", c.bytes, "limit", limit)
		c.client.Close()
	}
	if len(victims) == 0 {
		s.clientsLook.Store(time.Now().Add(clientsRest).UnixNano())
	}
}
