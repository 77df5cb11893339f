package node

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"sync/atomic"

	"zset.dev/operator/node/client"
	"zset.dev/operator/node/command"
	"zset.dev/operator/node/direct"
	"zset.dev/operator/node/following"
	"zset.dev/operator/node/keyspace"
	"zset.dev/operator/node/persist"
	"zset.dev/operator/node/rdb"
	"zset.dev/operator/node/replica"
	"zset.dev/operator/node/replication"
	"zset.dev/operator/node/telemetry"
	"zset.dev/operator/zset"
)

// newFollowing makes what lets the node be a replica.
func (s *Server) newFollowing() *following.Following {
	s.followed = &followed{server: s, applier: command.NewApplier(&s.env, client.New(0, "", "", s.now(), client.Unwired{}))}
	return following.New(following.Options{
		State: s.env.Replication, Data: s.followed, Log: s.log, Now: s.now, Settings: s.followingSettings, Dial: s.dialPrimary,
		NewSet:  func() *zset.Set { return zset.NewIn(s.keyspace.Memory(), s.env.Tuning()) },
		Synced:  func() int64 { return s.env.Replication.Confirmations().Disk().Offset() },
		Writes:  pausedWrites{s.env.Pause},
		Changed: s.roleChanged,
	})
}

// prepareToFollow makes the node a replica, if the configuration names a primary: what is loaded goes on where that primary's log was
// left, and no client may write.
func (s *Server) prepareToFollow() {
	if s.config.Values().Following.Host != "" && !s.inShard() {
		s.env.Replication.Follow()
		s.keyspace.SuspendExpiry(keyspace.Following, true)
	}
}

// startFollowing follows the primary that the configuration names, if it names one. It is called once, when the data of the
// disk is there.
func (s *Server) startFollowing() {
	if v := s.config.Values().Following; v.Host != "" && !s.inShard() {
		s.env.Following.Resume(following.Target{Host: v.Host, Port: v.Port})
	}
}

func (s *Server) followingSettings() following.Settings {
	v := s.config.Values()
	set := following.Settings{
		User: v.Following.User, Password: v.Following.Password, Host: v.Following.AnnounceHost, Port: v.Following.AnnouncePort,
		Timeout: v.Replication.Timeout,
	}
	own := s.Addr()
	if own == nil || v.Following.TLS && s.TLSAddr() != nil {
		own = s.TLSAddr()
	}
	if set.Port == 0 && own != nil {
		set.Port = own.(*net.TCPAddr).Port
	}
	return set
}

// dialPrimary connects to a primary.
func (s *Server) dialPrimary(ctx context.Context, address string) (net.Conn, error) {
	socket, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return nil, err
	}
	if !s.config.Values().Following.TLS {
		return direct.New(socket), nil
	}
	if s.secure == nil {
		socket.Close()
		return nil, errors.New("tls-replication needs tls-port")
	}
	conn, err := s.secure.Client(ctx, socket)
	if err != nil {
		socket.Close()
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return conn, nil
}

// roleChanged is called when the node has become something else, or follows another than before.
func (s *Server) roleChanged(role replication.Role, primary following.Target) {
	replica := role == replication.Replica
	s.keyspace.SuspendExpiry(keyspace.Following, replica)
	if replica {
		s.env.ForceUnblock()
	}
	s.env.RecordPrimary(primary)
}

// pausedWrites is how a hand-over stops writes.
type pausedWrites struct{ pause *command.Pause }

func (p pausedWrites) Pause()  { p.pause.BeginHandover() }
func (p pausedWrites) Resume() { p.pause.EndHandover() }

// followed is what a primary's log is done to: the keys, and the libraries of functions, by the command table. All but skipped
// belongs to the goroutine that follows.
type followed struct {
	server  *Server
	applier *command.Applier
	primary *client.Client // as CLIENT LIST shows it; nil while there is no connection

	skipped     atomic.Int64 // commands and keys left out, ever
	skippedKeys int64
}

// primaryLine is a connection to a primary as others reach it.
type primaryLine struct {
	client.Unwired
	conn net.Conn
}

// Close implements client.Wire: the link ends, and is tried again.
func (l primaryLine) Close() { l.conn.Close() }

// Hurry implements client.Wire: the stop of the node does not wait for a primary.
func (l primaryLine) Hurry() {}

// Linked implements following.Data.
func (d *followed) Linked(conn net.Conn) {
	s := d.server
	d.primary = client.New(s.clients.NextID(), conn.RemoteAddr().String(), conn.LocalAddr().String(), s.now(), primaryLine{conn: conn})
	d.primary.SetAccount(s.env.Accounts.Default())
	d.primary.Enter(client.Leading)
	s.clients.Add(d.primary, math.MaxInt)
	d.applier.As(d.primary)
}

// Unlinked implements following.Data.
func (d *followed) Unlinked() {
	if d.primary != nil {
		d.server.clients.Remove(d.primary)
		d.primary = nil
	}
}

// Replace implements following.Data.
func (d *followed) Replace(file *rdb.Decoder, began func()) error {
	if err := file.Begin(); err != nil {
		return err
	}
	began()
	if err := d.clear(); err != nil {
		return err
	}
	s := d.server
	loader := persist.Loader{
		Keyspace: s.keyspace, Now: func() int64 { return s.now().UnixMilli() }, SkipOther: s.config.Values().SkipOtherTypes, KeepExpired: true,
		Function: func(code []byte) error { return d.do("FUNCTION", "LOAD", "REPLACE", string(code)) },
	}
	err := loader.Load(file)
	d.skippedKeys += loader.Skipped
	d.Report()
	if err != nil {
		return errors.Join(err, d.clear())
	}
	s.log.Info("loaded the primary's data", "keys", loader.Loaded, "left out", loader.Skipped)
	return nil
}

// clear removes all keys and libraries.
func (d *followed) clear() error {
	return errors.Join(d.do("FLUSHALL"), d.do("FUNCTION", "FLUSH"))
}

func (d *followed) do(words ...string) error {
	var args [][]byte
	for _, word := range words {
		args = append(args, []byte(word))
	}
	d.applier.Begin()
	defer d.applier.Report()
	return d.applier.Apply(args)
}

// Begin implements following.Data.
func (d *followed) Begin() {
	d.applier.SkipOther = d.server.config.Values().SkipOtherTypes
	d.applier.Begin()
	if d.primary != nil {
		d.primary.Touch(d.server.now().UnixMilli())
	}
}

// Apply implements following.Data.
func (d *followed) Apply(args [][]byte) error { return d.applier.Apply(args) }

// Report implements following.Data.
func (d *followed) Report() {
	d.applier.Report()
	d.skipped.Store(d.applier.Skipped + d.skippedKeys)
}

// Whole implements following.Data.
func (d *followed) Whole() bool { return d.applier.Whole() }

// Restart implements following.Data.
func (d *followed) Restart(database bool) { d.applier.Restart(database) }

// Diverged implements following.Data.
func (d *followed) Diverged(err error) bool {
	var diverged *command.DivergedError
	return errors.As(err, &diverged)
}

// followingFacts takes down what INFO tells of the primary.
func (s *Server) followingFacts(f *telemetry.Facts) {
	f.Handover = s.env.Following.Handing().String()
	status, ok := s.env.Following.Status()
	if !ok {
		return
	}
	v := s.config.Values().Following
	f.Following = &telemetry.Following{
		Host: status.Host, Port: status.Port, Up: status.Up, Reason: status.Reason, Heard: status.Heard, DownSince: status.DownSince,
		Transfer: status.Stage == replica.Transfer, Arrived: status.Arrived, Size: status.Size, Offset: status.Next - 1,
		Skipped: s.followed.skipped.Load(), Priority: v.Priority, ReadOnly: v.ReadOnly, Announced: v.Announced,
	}
}
