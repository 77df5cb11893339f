package link

import (
	"errors"
	"net"
	"sync"
	"time"
)

// Proxy forwards connections to a target. Its methods may be called from any goroutine.
type Proxy struct {
	Addr     string // where it listens
	target   string
	listener net.Listener
	running  sync.WaitGroup
	closed   chan struct{}

	mu      sync.Mutex
	changed chan struct{} // guarded by mu, as are the following; closed and made anew when one of them changes
	conns   map[net.Conn]bool
	cut     bool
	frozen  bool
	delay   time.Duration
	rate    int   // bytes a second and direction; 0 is as many as go
	down    int64 // bytes from the target that were let through
	up      int64 // bytes to the target
}

// NewProxy begins to forward.
func NewProxy(target string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{Addr: l.Addr().String(), target: target, listener: l, closed: make(chan struct{}), changed: make(chan struct{}), conns: map[net.Conn]bool{}}
	p.running.Go(p.accept) // until Close
	return p, nil
}

// Close ends all connections and waits for what served them.
func (p *Proxy) Close() {
	p.mu.Lock()
	select {
	case <-p.closed:
	default:
		close(p.closed)
	}
	p.mu.Unlock()
	_ = p.listener.Close() // it is gone either way
	p.Cut()
	p.running.Wait()
}

// Cut ends all connections and refuses new ones, until Heal.
func (p *Proxy) Cut() {
	p.set(func() {
		p.cut = true
		for c := range p.conns {
			_ = c.Close() // that is the point
		}
	})
}

// Heal lets connections through again, as fast as they go.
func (p *Proxy) Heal() {
	p.set(func() { p.cut, p.frozen, p.delay, p.rate = false, false, 0, 0 })
}

// Freeze holds everything back, with the connections open, until Heal.
func (p *Proxy) Freeze() { p.set(func() { p.frozen = true }) }

// Slow delays what is sent, and sends so many bytes a second, 0 for any number.
func (p *Proxy) Slow(delay time.Duration, rate int) {
	p.set(func() { p.delay, p.rate = delay, rate })
}

// Passed is how many bytes were let through to the target and from it.
func (p *Proxy) Passed() (up, down int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.up, p.down
}

func (p *Proxy) set(change func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	change()
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *Proxy) accept() {
	for {
		c, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.running.Go(func() { p.forward(c) }) // until either side or Cut ends it
	}
}

// add reports whether a connection may live; then Cut ends it.
func (p *Proxy) add(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cut {
		p.conns[c] = true
	}
	return !p.cut
}

func (p *Proxy) forward(near net.Conn) {
	defer p.forget(near)
	if !p.add(near) {
		return
	}
	far, err := net.DialTimeout("tcp", p.target, 5*time.Second)
	if err != nil {
		return
	}
	defer p.forget(far)
	if !p.add(far) {
		return
	}
	var both sync.WaitGroup
	both.Go(func() { p.copy(far, near, &p.up) })
	both.Go(func() { p.copy(near, far, &p.down) })
	both.Wait()
}

func (p *Proxy) forget(c net.Conn) {
	_ = c.Close()
	p.mu.Lock()
	delete(p.conns, c)
	p.mu.Unlock()
}

// copy sends from one side to the other until one of them ends, and then ends both.
func (p *Proxy) copy(to, from net.Conn, passed *int64) {
	defer to.Close()
	defer from.Close()
	b := make([]byte, 16<<10)
	for {
		n, err := from.Read(b)
		if n > 0 {
			if p.hold(n) != nil {
				return
			}
			p.mu.Lock()
			*passed += int64(n)
			p.mu.Unlock()
			if _, err := to.Write(b[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

var errClosed = errors.New("link: the proxy is closed")

// hold waits for as long as n bytes are to be held back now.
func (p *Proxy) hold(n int) error {
	began := time.Now()
	for {
		p.mu.Lock()
		frozen, wait, changed := p.frozen, p.delay, p.changed
		if p.rate > 0 {
			wait += time.Duration(float64(n) / float64(p.rate) * float64(time.Second))
		}
		cut := p.cut
		p.mu.Unlock()
		if cut {
			return errClosed
		}
		left := wait - time.Since(began)
		var due <-chan time.Time
		switch {
		case frozen:
		case left <= 0:
			return nil
		default:
			due = time.After(left)
		}
		select {
		case <-p.closed:
			return errClosed
		case <-changed:
		case <-due:
		}
	}
}
