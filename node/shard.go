package node

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"strings"
	"time"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/following"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/lease"
	"zset.dev/operator/node/replica"
	"zset.dev/operator/node/shard"
	"zset.dev/operator/node/telemetry"
)

// Shard is how a node that is one of a shard reaches what is outside of it.
type Shard struct {
	Store     shard.Store
	Pods      shard.Pods
	Publisher shard.Publisher
}

// inShard reports whether the node is one of a shard.
func (s *Server) inShard() bool { return s.config.Values().Shard.Name != "" }

// joinShard makes the node a standby of its shard, if it is one of a shard, before it serves anybody.
func (s *Server) joinShard() error {
	v := s.config.Values().Shard
	if v.Name == "" {
		return nil
	}
	if err := v.Validate(); err != nil {
		return err
	}
	if s.options.Shard == nil {
		return errors.New("a node of a shard needs the Kubernetes API")
	}
	s.gate.Until(time.Now(), fenced("it has not joined its shard yet"))
	s.env.Replication.Follow()
	s.keyspace.SuspendExpiry(keyspace.Following, true)
	s.env.Shard = shardWords{s}
	return nil
}

// startMember lets the node take part in its shard's elections, once its data is loaded.
func (s *Server) startMember() {
	if !s.inShard() {
		return
	}
	v := s.config.Values().Shard
	m := shard.New(shard.Options{
		Self:    lease.Identity{Pod: v.Pod, UID: v.UID, Run: s.runID},
		Started: s.began, Timing: v.Timing(), Epoch: s.env.Replication.Epoch(), Name: v.Name,
		Size:  func() int { return s.config.Values().Shard.Size },
		Store: s.options.Shard.Store, Pods: s.options.Shard.Pods, Publisher: s.options.Shard.Publisher,
		Node: shardNode{s}, Dial: s.dialPeer, Log: s.log,
	})
	s.member.Store(m)
	ctx, cancel := context.WithCancel(context.Background())
	s.background.Go(func() {
		<-s.memberStop
		cancel()
	})
	s.background.Go(func() { m.Run(ctx) })
}

// shardPort is the port on which the shard's nodes listen: this one's.
func (s *Server) shardPort() string {
	own := s.Addr()
	if own == nil || s.config.Values().Following.TLS && s.TLSAddr() != nil {
		own = s.TLSAddr()
	}
	return strconv.Itoa(own.(*net.TCPAddr).Port)
}

// dialPeer connects to another node of the shard.
func (s *Server) dialPeer(ctx context.Context, pod string) (net.Conn, error) {
	v := s.config.Values()
	address, err := v.Shard.Address(pod, s.shardPort())
	if err != nil {
		return nil, err
	}
	conn, err := s.dialPrimary(ctx, address)
	if err != nil || v.Following.Password == "" {
		return conn, err
	}
	if _, err := shard.Ask(ctx, conn, replica.Auth(v.Following.User, v.Following.Password)...); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// fenced is what a write is answered, for that reason.
func fenced(why string) string {
	return "READONLY No write is taken here: " + why + ". Connect again through the Service to reach the primary."
}

// shardNode is the node as the election changes it.
type shardNode struct{ s *Server }

// Position implements shard.Node.
func (n shardNode) Position() (p lease.Position, whole bool) {
	at := n.s.env.Replication.Position()
	return lease.Position{Epoch: at.Epoch, Offset: at.Offset}, n.s.env.Replication.Whole()
}

// Allow implements shard.Node.
func (n shardNode) Allow(until time.Time, why string) {
	if until.IsZero() {
		n.s.gate.Until(time.Now(), fenced(why))
		n.s.gate.Interrupt()
		return
	}
	n.s.gate.Until(until, fenced("it could not renew its lease in time"))
}

// Lead implements shard.Node.
func (n shardNode) Lead(epoch int64) error {
	changed, err := n.s.env.Following.Promote(epoch)
	if err == nil && !changed {
		// It was primary, and has been given the record anew, whose list of electors begins anew, too.
		n.s.inSync.Reset()
	}
	return err
}

// Follow implements shard.Node.
func (n shardNode) Follow(holder lease.Identity, epoch int64) error {
	address, err := n.s.config.Values().Shard.Address(holder.Pod, n.s.shardPort())
	if err != nil {
		n.s.env.Following.Stand()
		return err
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return fmt.Errorf("shard: %s: %w", address, err)
	}
	n.s.env.Following.FollowHolder(following.Holder{Target: following.Target{Host: host, Port: number}, RunID: holder.Run, Epoch: epoch})
	return nil
}

// Stand implements shard.Node.
func (n shardNode) Stand() error {
	n.s.env.Following.Stand()
	return nil
}

// Expel implements shard.Node.
func (n shardNode) Expel() {
	closed := 0
	n.s.clients.Each(func(cl *client.Client) {
		if !cl.Is(client.Following | client.Leading) {
			cl.Close()
			closed++
		}
	})
	n.s.log.Warn("this node may not acknowledge writes any longer: closed its clients", "clients", closed)
}

// shardWords is the node's part in its shard as commands need it.
type shardWords struct{ s *Server }

// Words implements command.Shard.
func (w shardWords) Words() []string {
	if m := w.s.member.Load(); m != nil {
		return m.Status().Words()
	}
	v := w.s.config.Values().Shard // loading still
	return shard.Status{Identity: lease.Identity{Pod: v.Pod, UID: v.UID, Run: w.s.runID}, Started: w.s.began, Role: shard.Standby}.Words()
}

// Promise implements command.Shard.
func (w shardWords) Promise(ctx context.Context, holder lease.Identity, epoch int64) bool {
	m := w.s.member.Load()
	return m != nil && m.Promise(ctx, holder, epoch)
}

// HandOver implements command.Shard.
func (w shardWords) HandOver(h following.Handover) error { return w.s.beginHandOver(h) }

// Abort implements command.Shard.
func (w shardWords) Abort() bool { return w.s.handing.abort() }

// Leave implements command.Shard.
func (w shardWords) Leave(ctx context.Context, run string) error {
	if err := w.s.inSync.Exclude(ctx, run); err != nil {
		return err
	}
	w.s.env.Replication.Farewell(run)
	return nil
}

// News implements command.Shard.
func (w shardWords) News(ctx context.Context, epoch int64) {
	if m := w.s.member.Load(); m != nil {
		m.News(ctx, epoch)
	}
}

// shardKeeper writes down which replicas are in sync: in the shard's record, if the node is one of a shard.
type shardKeeper struct{ s *Server }

// Write implements insync.Keeper.
func (k shardKeeper) Write(ctx context.Context, runs []string) error {
	if m := k.s.member.Load(); m != nil {
		return m.Write(ctx, runs)
	}
	return errors.New("the node has not joined its shard yet")
}

// memberNotReady is why a node of a shard should get no traffic; empty when it should.
func (s *Server) memberNotReady() string {
	if !s.inShard() {
		return ""
	}
	m := s.member.Load()
	if m == nil {
		return "it has not joined its shard yet"
	}
	switch status := m.Status(); {
	case status.Serves:
		return ""
	case status.Role == shard.Primary:
		return "it is to be primary, and may not take writes yet, or any longer"
	case status.Role == shard.Standby:
		return "the shard has no primary that is known: " + status.Waits
	case !s.env.Following.Up():
		return "not in sync with the primary: not connected to it"
	case !status.InSync():
		return "not in sync with the primary"
	}
	return ""
}

// shardFacts takes down what INFO tells of the shard.
func (s *Server) shardFacts(f *telemetry.Facts) {
	v := s.config.Values().Shard
	m := s.member.Load()
	if m == nil || v.Name == "" {
		return
	}
	status := m.Status()
	electors := make([]string, len(status.Record.Electors))
	for i, id := range status.Record.Electors {
		electors[i] = id.String()
	}
	f.Shard = &telemetry.Shard{
		Name: v.Name, Identity: status.Identity.String(), Role: status.Role, Epoch: status.Epoch, Holder: status.Record.Holder.String(),
		Electors: electors, Fenced: !status.Serves, Waits: waits(status.Waits, status.Trouble), InSync: status.InSync() && (status.Serves || s.env.Following.Up()),
		PositionEpoch: status.Position.Epoch, Offset: status.Position.Offset, Handover: s.handing.now(),
		Renewals: m.Counts.Renewals.Load(), RenewalsFailed: m.Counts.Failed.Load(), Elections: m.Counts.Elections.Load(),
	}
}

// waits is why a node is not primary, or what is in its way. Errors of the network have words that differ each time, which would be
// news each time to whoever looks.
func waits(why string, trouble error) string {
	if trouble == nil {
		return why
	}
	words := trouble.Error()
	if network := net.Error(nil); errors.As(trouble, &network) || errors.Is(trouble, context.DeadlineExceeded) {
		words = "the API server does not answer"
	}
	words = strings.Join(strings.Fields(words), " ") // of one line
	if why == "" {
		return words
	}
	return why + ": " + words
}
