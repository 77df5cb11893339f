package node

import (
	"context"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/command"
)

const (
	// stopGrace is how long a connection goes on reading once the stop began,
	// so that commands on their way are still answered.
	stopGrace = 20 * time.Millisecond

	// stopPatience is how long a client that keeps sending is still served.
	stopPatience = time.Second
)

// beginStop lets Run stop. It reports whether the stop had not begun before.
func (s *Server) beginStop(how command.Shutdown) (first bool) { return s.stop(how, nil) }

// stop is beginStop with the reason that Run is to return.
func (s *Server) stop(how command.Shutdown, why error) (first bool) {
	s.stopOnce.Do(func() {
		first = true
		s.how, s.failure = how, why
		s.serving.Store(false)
		s.stopBegan = time.Now()
		close(s.stopping)
	})
	return first
}

func (s *Server) isStopping() bool {
	select {
	case <-s.stopping:
		return true
	default:
		return false
	}
}

// drain ends all connections, after what they have sent was answered if there
// is time.
func (s *Server) drain() {
	timeout := s.config.Values().ShutdownTimeout
	timeout = max(timeout-s.leftFor, min(timeout, time.Second))
	s.log.Info("stopping", "clients", s.clients.Len(), "timeout", timeout)
	closeAll(s.listeners)
	closeAll(s.tlsListeners)
	s.accepting.Wait()

	done := make(chan struct{})
	go func() { // ends when the last connection does, which is below
		s.connections.Wait()
		close(done)
	}()
	if !s.how.Now {
		s.clients.Each(hurryClient)
		limit, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		s.letReplicasCatchUp(limit)
		s.clients.Each((*client.Client).Hurry)
		if wait(limit, done) {
			return
		}
		s.log.Warn("closing clients that still had commands to run", "clients", s.clients.Len())
	}
	s.env.Scripts.End()
	s.clients.Each((*client.Client).Close)
	<-done
}

// hurryClient hurries one that is no link between nodes: those go last.
func hurryClient(cl *client.Client) {
	if !cl.Is(client.Following | client.Leading) {
		cl.Hurry()
	}
}

// letReplicasCatchUp waits until all other clients are gone and the replicas have what those wrote.
func (s *Server) letReplicasCatchUp(limit context.Context) {
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		others := 0
		s.clients.Each(func(cl *client.Client) {
			if !cl.Is(client.Following | client.Leading) {
				others++
			}
		})
		if others == 0 {
			break
		}
		select {
		case <-tick.C:
		case <-limit.Done():
			return
		}
	}
	if behind := s.env.Replication.CatchUp(limit); behind > 0 {
		s.log.Warn("stopping before all replicas have what was written", "replicas", behind)
	}
}

// notReady is why this node should get no traffic; empty when it should.
func (s *Server) notReady() string {
	switch {
	case s.isStopping():
		return "stopping"
	case s.env.Loading():
		return "loading"
	case !s.serving.Load():
		return "starting"
	}
	return s.memberNotReady()
}
