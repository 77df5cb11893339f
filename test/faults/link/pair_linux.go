package link

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Pair is two network namespaces with a cable between. One goroutine uses it; its dialers may be used by any.
type Pair struct {
	Namespaces [2]string // to start servers in: ip netns exec NAME …
	Addrs      [2]string // their addresses, without a port
	netem      bool
	commands   []string // that end what was begun
}

// ErrUnable is wrapped by the reason why this machine cannot have a Pair.
var ErrUnable = errors.New("link: no network namespaces here")

// NewPair makes a pair whose names begin with zset-faults-. number is 0 to 62, and tells pairs of a machine apart.
func NewPair(number int) (p *Pair, err error) {
	if os.Geteuid() != 0 {
		return nil, fmt.Errorf("%w: they need root", ErrUnable)
	}
	for _, program := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(program); err != nil {
			return nil, fmt.Errorf("%w: %w", ErrUnable, err)
		}
	}
	p = &Pair{}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("%w: %w", ErrUnable, err), p.Close())
		}
	}()
	id := fmt.Sprintf("%d-%d", os.Getpid(), number)
	cable := [2]string{"zf" + fmt.Sprint(os.Getpid()) + "a", "zf" + fmt.Sprint(os.Getpid()) + "b"}
	for i := range 2 {
		p.Namespaces[i] = fmt.Sprintf("zset-faults-%s-%c", id, 'a'+i)
		p.Addrs[i] = fmt.Sprintf("10.231.%d.%d", number, 1+i)
		if err := command("ip netns add " + p.Namespaces[i]); err != nil {
			return p, err
		}
		p.commands = append(p.commands, "ip netns del "+p.Namespaces[i])
	}
	// Both ends are made within the namespaces, so nothing is left of them when these go.
	if err := command(fmt.Sprintf("ip -n %s link add name %s type veth peer name %s netns %s", p.Namespaces[0], cable[0], cable[1], p.Namespaces[1])); err != nil {
		return p, err
	}
	for i, ns := range p.Namespaces {
		for _, c := range []string{
			"link set " + cable[i] + " name wire", "addr add " + p.Addrs[i] + "/24 dev wire", "link set wire up", "link set lo up"} {
			if err := command("ip -n " + ns + " " + c); err != nil {
				return p, err
			}
		}
	}
	p.netem = p.tc(0, "add", "netem delay 0ms") == nil
	if p.netem {
		return p, p.tc(0, "del", "")
	}
	if err := p.drop(0, "-A", 0.5); err != nil {
		return p, fmt.Errorf("the kernel has no netem, and cannot drop packets: %w", err)
	}
	return p, p.drop(0, "-D", 0.5)
}

// How is by what the link is made bad.
func (p *Pair) How() string {
	if p.netem {
		return "netem"
	}
	return "dropped packets and a token bucket, as the kernel has no netem"
}

// Close removes the namespaces.
func (p *Pair) Close() error {
	var errs []error
	for _, c := range p.commands {
		errs = append(errs, command(c))
	}
	p.commands = nil
	return errors.Join(errs...)
}

// Weather is how bad the link is, in both directions.
type Weather struct {
	Loss  float64 // share of packets that are lost
	Kbit  int     // a second; 0 is any number
	Delay int     // ms, where there is netem
}

func (w Weather) String() string {
	return fmt.Sprintf("%.0f %% loss, %d kbit/s, %d ms", 100*w.Loss, w.Kbit, w.Delay)
}

// Set makes the link as bad as that. calm is what was set before.
func (p *Pair) Set(before, now Weather) error {
	for side := range 2 {
		if before != (Weather{}) {
			if err := p.end(side, before); err != nil {
				return err
			}
		}
		if now != (Weather{}) {
			if err := p.begin(side, now); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *Pair) begin(side int, w Weather) error {
	if p.netem {
		text := fmt.Sprintf("netem delay %dms loss %g%%", w.Delay, 100*w.Loss)
		if w.Kbit > 0 {
			text += fmt.Sprintf(" rate %dkbit", w.Kbit)
		}
		return p.tc(side, "add", text)
	}
	if w.Kbit > 0 {
		if err := p.tc(side, "add", fmt.Sprintf("tbf rate %dkbit burst 32k latency 400ms", w.Kbit)); err != nil {
			return err
		}
	}
	if w.Loss > 0 {
		return p.drop(side, "-A", w.Loss)
	}
	return nil
}

func (p *Pair) end(side int, w Weather) error {
	if p.netem || w.Kbit > 0 {
		if err := p.tc(side, "del", ""); err != nil {
			return err
		}
	}
	if !p.netem && w.Loss > 0 {
		return p.drop(side, "-D", w.Loss)
	}
	return nil
}

func (p *Pair) tc(side int, verb, discipline string) error {
	return command(fmt.Sprintf("tc -n %s qdisc %s dev wire root %s", p.Namespaces[side], verb, discipline))
}

func (p *Pair) drop(side int, verb string, share float64) error {
	return command(fmt.Sprintf("ip netns exec %s iptables %s INPUT -i wire -m statistic --mode random --probability %g -j DROP", p.Namespaces[side], verb, share))
}

// Cut pulls the cable out, without a word to those who use it.
func (p *Pair) Cut() error { return command("ip -n " + p.Namespaces[0] + " link set wire down") }

// Mend plugs the cable in again.
func (p *Pair) Mend() error { return command("ip -n " + p.Namespaces[0] + " link set wire up") }

// Dial gives a dialer that connects from within a namespace.
func (p *Pair) Dial(side int) func(ctx context.Context, network, addr string) (net.Conn, error) {
	path := "/run/netns/" + p.Namespaces[side]
	return func(ctx context.Context, network, addr string) (net.Conn, error) {
		runtime.LockOSThread() // a socket stays in the namespace that its thread was in when it was made
		here, err := os.Open("/proc/thread-self/ns/net")
		if err != nil {
			runtime.UnlockOSThread()
			return nil, err
		}
		defer here.Close()
		there, err := os.Open(path)
		if err != nil {
			runtime.UnlockOSThread()
			return nil, err
		}
		defer there.Close()
		if err := unix.Setns(int(there.Fd()), unix.CLONE_NEWNET); err != nil {
			runtime.UnlockOSThread()
			return nil, err
		}
		conn, err := (&net.Dialer{}).DialContext(ctx, network, addr)
		if back := unix.Setns(int(here.Fd()), unix.CLONE_NEWNET); back != nil {
			return nil, errors.Join(err, back) // and the thread, which is locked, ends with its goroutine
		}
		runtime.UnlockOSThread()
		return conn, err
	}
}

// command runs a program with arguments that have no blanks.
func command(line string) error {
	words := strings.Fields(line)
	if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", line, err, strings.TrimSpace(string(out)))
	}
	return nil
}
