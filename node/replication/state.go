package replication

import (
	"crypto/rand"
	"encoding/hex"
	"sync"
	"sync/atomic"
	"time"

	"zset.dev/operator/node/replog"
)

// Role is whether a node takes changes from clients or from another node.
type Role int32

// The roles.
const (
	Primary Role = iota
	Replica
)

func (r Role) String() string {
	return [...]string{"primary", "replica"}[r]
}

// NewID makes the name of a history, or of a run of the node: 40 random hexadecimal digits.
func NewID() string {
	var b [20]byte
	rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

// FirstOffset is that of the first byte of a log that goes on from no other.
const FirstOffset = 1

// State is what a node is in replication. Make it with New.
type State struct {
	options Options
	now     atomic.Pointer[position]
	epoch   atomic.Int64
	leader  atomic.Pointer[Identity] // whose log this is; nil for its own
	linked  atomic.Bool              // a replica has a link to its primary that works
	partial atomic.Bool              // the data is not what the position says

	saving sync.RWMutex // held for reading by who saves all keys (Frozen)

	changing sync.Mutex // held by who replaces the position, which may take as long as a command
	readers  int        // calls of Open and Borrow without their end; guarded by changing
	borrowed bool       // nobody has opened the log but who borrows it; guarded by changing
	unread   time.Time  // since when there are none; guarded by changing

	confirmations replog.Confirmations
	followers     followers
	turns         chan struct{} // has as many tokens as followers get all data

	pinged time.Time // when Tend last appended a PING; guarded by changing
	asked  int64     // up to where confirmations were asked for; guarded by changing
}

// position is immutable: it is replaced as a whole.
type position struct {
	role    Role
	history replog.History
	log     *replog.Log // nil while nobody reads it
	next    int64       // the offset of the next byte, while there is no log
	marks   marks       // of epochs in the log
}

func (p *position) offset() int64 {
	if p.log == nil {
		return p.next
	}
	_, end := p.log.Range()
	return end
}

// New makes the state of a primary that has no log.
func New(o Options) *State {
	s := &State{options: o, turns: make(chan struct{}, fullSyncsAtOnce)}
	s.followers.init()
	s.now.Store(&position{history: replog.History{ID: NewID()}, next: FirstOffset})
	return s
}

// Role is what the node is now.
func (s *State) Role() Role { return s.now.Load().role }

// History is the names of the node's log.
func (s *State) History() replog.History { return s.now.Load().history }

// Named is the log, nil while nobody reads it, and its names at the same moment.
func (s *State) Named() (replog.History, *replog.Log) {
	p := s.now.Load()
	return p.history, p.log
}

// Log is the log, nil while nobody reads it.
func (s *State) Log() *replog.Log { return s.now.Load().log }

// Offset is that of the next byte of the log.
func (s *State) Offset() int64 { return s.now.Load().offset() }

// At is all of it at one moment.
func (s *State) At() (role Role, history replog.History, log *replog.Log, offset int64) {
	p := s.now.Load()
	return p.role, p.history, p.log, p.offset()
}

// Confirmations says how much of the log others have. It stays the same as long as the node runs.
func (s *State) Confirmations() *replog.Confirmations { return &s.confirmations }

// RunID is the name of this run of the node.
func (s *State) RunID() string { return s.options.RunID }

// Epoch is that of the last primary this node knows, itself included; 0 when nobody counts them.
func (s *State) Epoch() int64 { return s.epoch.Load() }

// LogEpoch is that of whose log it is: less than Epoch once the node was told by hand to follow a primary of an earlier one. It is what
// is kept on disk, so that a restarted node goes on following that one.
func (s *State) LogEpoch() int64 { return s.Identity().Epoch }

// SawEpoch notes an epoch, and reports whether it is the greatest so far, or that again.
func (s *State) SawEpoch(epoch int64) (current bool) {
	for {
		known := s.epoch.Load()
		if epoch <= known {
			return epoch == known
		}
		if s.epoch.CompareAndSwap(known, epoch) {
			return true
		}
	}
}

// SetLinked says whether this replica's link to its primary works. While it does not, nobody can begin to follow it.
func (s *State) SetLinked(linked bool) { s.linked.Store(linked) }

// MayServe reports whether somebody may begin to follow this node now: its data is whole.
func (s *State) MayServe() bool { return s.Role() == Primary || s.linked.Load() }

// Open makes sure that there is a log, for somebody who reads it until Close: every change from before it returns on
// is in it, if this is a primary. A log that begins anew has a new history.
func (s *State) Open() *replog.Log {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.borrowed = false
	return s.open()
}

// Borrow is Open for somebody who reads the log for a while only. If nobody else has come until giveBack, the log ends at once.
func (s *State) Borrow() (giveBack func()) {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.borrowed = s.borrowed || s.now.Load().log == nil
	s.open()
	return func() {
		s.Close()
		s.changing.Lock()
		defer s.changing.Unlock()
		if p := s.now.Load(); s.borrowed && s.readers == 0 && p.log != nil && p.role == Primary {
			s.end(p)
		}
	}
}

// end ends a log that nobody reads; s.changing is held.
func (s *State) end(p *position) {
	s.options.Journal(nil)
	// What changes from here on nobody notes, so the name that others know must not be that of what comes.
	s.now.Store(&position{history: replog.History{ID: NewID()}, next: p.offset(), marks: p.marks})
}

// open is Open; s.changing is held.
func (s *State) open() *replog.Log {
	s.readers++
	p := s.now.Load()
	if p.log == nil {
		p = &position{role: p.role, history: replog.History{ID: NewID()}, log: s.newLog(p.next), marks: p.marks}
		if p.role == Primary {
			s.options.Journal(p.log)
		}
		s.now.Store(p)
	}
	return p.log
}

// Close is for who opened the log and does not read it any longer. It does not end the log; Tend may.
func (s *State) Close() {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.readers--
	s.unread = s.options.Now()
}

// SetKeep lets the log keep what the settings say now.
func (s *State) SetKeep() {
	s.changing.Lock()
	defer s.changing.Unlock()
	if log := s.Log(); log != nil {
		log.SetKeep(s.options.Settings().BacklogSize)
	}
}

func (s *State) newLog(from int64) *replog.Log {
	s.unread = s.options.Now()
	return replog.New(from, s.options.Settings().BacklogSize)
}

// Adopt says that the data is that of another log from now on: everything of history before the offset next, whose last byte is
// of that epoch, as a file brought it, from a primary or from the disk. The log begins anew there, and those who follow have to come
// again. Who reads the old log otherwise finds nothing more in it, and takes the new one from Log.
func (s *State) Adopt(history replog.History, next, epoch int64) *replog.Log {
	s.changing.Lock()
	defer s.changing.Unlock()
	s.options.Turning()
	s.borrowed = false
	p := &position{role: s.Role(), history: history, log: s.newLog(next), marks: marks{before: epoch}}
	if p.role == Primary {
		s.options.Journal(p.log)
	}
	s.now.Store(p)
	s.partial.Store(false)
	s.followers.dropAll("the node has other data now")
	return p.log
}

// Continue says that the primary goes on with this node's log under that name. Those who follow have to come again to hear it,
// unless it is the same.
func (s *State) Continue(id string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	p := *s.now.Load()
	if p.history.ID == id {
		return
	}
	p.history = p.history.Branch(id, p.offset())
	s.now.Store(&p)
	s.followers.dropAll("the log has another name now")
}

// Follow makes the node a replica. The log stays as it is, so that the primary may go on with it: from when this returns on
// only what follows the primary appends to it.
//
// A command that began before may still change the data, unnoted, unless it looks at Role while it holds its keys.
func (s *State) Follow() {
	s.changing.Lock()
	defer s.changing.Unlock()
	p := *s.now.Load()
	if p.role == Replica {
		return
	}
	s.options.Turning()
	p.role = Replica
	s.now.Store(&p)
	s.options.Journal(nil)
}

// Promote makes the node a primary, in the epoch that it has seen last (SawEpoch). Its log goes on under a new name, with a mark of the
// epoch before anything else; one that is a primary already goes on under the name it has, with another mark. Those who follow
// have to come again to hear a new name. Nothing may be appended to the log by others any more.
func (s *State) Promote() {
	s.changing.Lock()
	defer s.changing.Unlock()
	p := *s.now.Load()
	if p.role == Primary {
		s.again(p)
		return
	}
	s.options.Turning()
	if p.log == nil {
		p.log = s.newLog(p.next)
	}
	p.history = p.history.Branch(NewID(), p.offset())
	p.mark(s.stamp())
	s.now.Store(&p)
	s.options.Journal(p.log)
	q := p
	q.role = Primary
	s.now.Store(&q)
	s.followers.dropAll("the log has another name now")
}

// again lets a primary go on in the epoch it has seen last, if it is another; s.changing is held. Writes may come before the mark.
func (s *State) again(p position) {
	switch {
	case p.marks.at(p.offset()) == s.Epoch():
		return
	case p.log == nil: // nobody reads that
		p.marks = p.marks.with(s.Epoch(), p.next)
	default:
		p.mark(s.stamp())
	}
	s.now.Store(&p)
}

// mark appends the mark of an epoch to the log.
func (p *position) mark(id Identity) {
	end := p.log.Append(replog.Command("PING", id.Stamp()))
	p.marks = p.marks.with(id.Epoch, end)
}

// stamp is what the node says of itself, as a primary, in its log.
func (s *State) stamp() Identity { return Identity{Epoch: s.Epoch(), RunID: s.RunID()} }
