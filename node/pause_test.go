package node

import (
	"fmt"
	"sync"
	"testing"
)

// Once CLIENT PAUSE was answered nothing goes to the log, until the pause is over: no write that had begun, and no expiry.
func TestNothingIsLoggedWhilePaused(t *testing.T) {
	s := start(t)
	s.env.Replication.Open()
	t.Cleanup(s.env.Replication.Close)
	admin := dial(t, s.addr)
	stop := make(chan struct{})
	var writers sync.WaitGroup
	for n := range 4 {
		w := dial(t, s.addr)
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				for _, args := range [][]string{
					{"ZADD", fmt.Sprint("k", n), "1", fmt.Sprint(i)}, {"PEXPIRE", fmt.Sprint("k", n), "1"},
					{"EVAL", "return redis.call('ZADD', KEYS[1], 1, ARGV[1])", "1", "s", fmt.Sprint(n, i)},
					{"MULTI"}, {"ZADD", "t", "1", fmt.Sprint(n, i)}, {"EXEC"},
				} {
					if _, err := w.conn.Write(array(args...)); err != nil {
						t.Error(err)
						return
					}
					if _, err := readReply(w.in); err != nil {
						t.Error(err)
						return
					}
				}
			}
		})
	}
	for range 30 {
		before := s.env.Replication.Offset()
		eventually(t, "writes", func() bool { return s.env.Replication.Offset() > before })
		admin.expect("+OK\r\n", "CLIENT", "PAUSE", "60000", "WRITE")
		at := s.env.Replication.Offset()
		for range 20 {
			admin.do("EXISTS", "k0", "k1", "k2", "k3") // meets what has expired
		}
		if now := s.env.Replication.Offset(); now != at {
			t.Errorf("%d bytes went to the log", now-at)
		}
		admin.expect("+OK\r\n", "CLIENT", "UNPAUSE")
	}
	close(stop)
	writers.Wait()
}
