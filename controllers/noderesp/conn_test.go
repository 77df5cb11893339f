package noderesp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"zset.dev/operator/controllers/tuning"
)

// startNode runs a real node until the test ends and returns its address.
func startNode(t *testing.T, flags ...string) string {
	t.Helper()
	folder := t.TempDir()
	binary := filepath.Join(folder, "node")
	if out, err := exec.Command("go", "build", "-o", binary, "zset.dev/operator/cmd/node").CombinedOutput(); err != nil {
		t.Fatalf("build the node: %v\n%s", err, out)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	if err := listener.Close(); err != nil {
		t.Fatal(err)
	}
	node := exec.Command(binary, append([]string{"--port", fmt.Sprint(port), "--bind", "127.0.0.1", "--dir", folder, "--http-port", "0"}, flags...)...)
	node.Stderr = os.Stderr
	if err := node.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = node.Process.Kill()
		_ = node.Wait() // always "killed"
	})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
			return address
		}
		select {
		case <-ctx.Done():
			t.Fatal(err)
		case <-tick.C:
		}
	}
}

func TestConversationWithANode(t *testing.T) {
	address := startNode(t)
	node, err := DialRESP(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	defer node.Close()
	names := []string{tuning.SkipListP, tuning.ListpackEntries, "no-such-directive"}

	got, err := node.ConfigGet(t.Context(), names)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{tuning.SkipListP: "1/e", tuning.ListpackEntries: "128"}, got); diff != "" {
		t.Error(diff)
	}
	if err := node.ConfigSet(t.Context(), tuning.List{{Name: tuning.SkipListP, Value: "0.25"}, {Name: tuning.ListpackEntries, Value: "7"}}); err != nil {
		t.Fatal(err)
	}
	// All or nothing, and the node's own words.
	err = node.ConfigSet(t.Context(), tuning.List{{Name: tuning.ListpackEntries, Value: "9"}, {Name: tuning.SkipListP, Value: "2"}})
	if refusal := new(Refusal); !errors.As(err, &refusal) || !strings.Contains(refusal.Reply, "ERR CONFIG SET failed") || Explain(err) != refusal.Reply {
		t.Errorf("a bad value: %v", err)
	}
	if got, err = node.ConfigGet(t.Context(), names); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{tuning.SkipListP: "0.25", tuning.ListpackEntries: "7"}, got); diff != "" {
		t.Error(diff)
	}
	if list, err := node.(*conn).client.ClientList(t.Context()).Result(); err != nil || !strings.Contains(list, "name=zset-operator") {
		t.Errorf("CLIENT LIST: %s (%v)", list, err)
	}
}

func TestNodeThatWantsAPassword(t *testing.T) {
	_, err := DialRESP(t.Context(), startNode(t, "--requirepass", "secret"))
	if err == nil || !strings.HasPrefix(Explain(err), "NOAUTH ") {
		t.Errorf("%v, explained as %q", err, Explain(err))
	}
}

// Whatever the network does, the answer comes in time and in the same words each time.
func TestNoNode(t *testing.T) {
	for _, test := range []struct {
		name  string
		serve func(net.Conn) // nil: nobody listens
		want  string
	}{
		{"nobody listens", nil, "connection refused"},
		{"hangs up", func(c net.Conn) { c.Close() }, "connection closed"},
		{"says nothing", func(net.Conn) {}, "no answer within 800ms"},
	} {
		t.Run(test.name, func(t *testing.T) {
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			address := listener.Addr().String()
			if test.serve == nil {
				listener.Close()
			} else {
				ended := make(chan struct{})
				go func() {
					defer close(ended)
					for {
						c, err := listener.Accept()
						if err != nil {
							return
						}
						defer c.Close()
						test.serve(c)
					}
				}()
				t.Cleanup(func() { listener.Close(); <-ended })
			}
			began := time.Now()
			_, err = DialRESP(t.Context(), address)
			if err == nil || Explain(err) != test.want {
				t.Errorf("%v, explained as %q, want %q", err, Explain(err), test.want)
			}
			if took := time.Since(began); took > 3*Timeout {
				t.Errorf("took %v", took)
			}
		})
	}
}
