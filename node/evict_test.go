package node

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
)

const oomReply = "-OOM command not allowed when used memory > 'maxmemory'.\r\n"

// info is a number of INFO.
func (w *wire) info(name string) int {
	w.t.Helper()
	for _, line := range strings.Split(w.do("INFO", "everything"), "\r\n") {
		if value, ok := strings.CutPrefix(line, name+":"); ok {
			n, err := strconv.Atoi(value)
			if err != nil {
				w.t.Fatal(err)
			}
			return n
		}
	}
	w.t.Fatalf("INFO has no %s", name)
	return 0
}

// Under each policy of all keys many times the memory there is can be written,
// from several clients, without an error or much above the limit.
func TestEvictionKeepsTheLimit(t *testing.T) {
	const limit, clients, keys = 2 << 20, 3, 3000
	for _, policy := range []string{"allkeys-lru", "allkeys-lfu", "allkeys-random", "volatile-ttl"} {
		t.Run(policy, func(t *testing.T) {
			s := start(t, "--maxmemory", strconv.Itoa(limit), "--maxmemory-policy", policy)
			var writers sync.WaitGroup
			for n := range clients {
				w := dial(t, s.addr)
				writers.Go(func() {
					for i := range keys {
						key := fmt.Sprintf("%d:%d", n, i)
						args := []string{"ZADD", key}
						for m := range 10 {
							args = append(args, "1", fmt.Sprintf("%0100d", m))
						}
						w.send("*1\r\n$5\r\nMULTI\r\n" + string(array(args...)) + string(array("EXPIRE", key, strconv.Itoa(1000+i))) + "*1\r\n$4\r\nEXEC\r\n")
						for _, want := range []string{"+OK\r\n", "+QUEUED\r\n", "+QUEUED\r\n", "*2\r\n:10\r\n:1\r\n"} {
							if got := w.reply(); got != want {
								t.Errorf("%s: %q, want %q", key, got, want)
								return
							}
						}
					}
				})
			}
			writers.Wait()
			w := dial(t, s.addr)
			if used := w.info("used_memory"); used > limit+64<<10 || used < limit*8/10 {
				t.Errorf("%d bytes are used, limit %d", used, limit)
			}
			if peak := s.peak.Load(); peak > limit*5/4 {
				t.Errorf("at its peak %d bytes were used, limit %d", peak, limit)
			}
			eventually(t, "there is room", func() bool { return w.info("current_eviction_exceeded_time") == 0 })
			eventually(t, "every key is there or was evicted", func() bool {
				return w.info("evicted_keys")+s.keyspace.Len() == clients*keys
			})
		})
	}
}

// When no key may go, writes are refused, and so is what a transaction queues;
// what ends it is not. Those who want to hear of the key that went, do.
func TestEvictionFindsNothing(t *testing.T) {
	s := start(t, "--maxmemory-policy", "volatile-lru", "--notify-keyspace-events", "Ee")
	w := dial(t, s.addr)
	w.expect(":1\r\n", "ZADD", "stays", "1", "m")
	w.expect(":1\r\n", "ZADD", "goes", "1", "m")
	w.expect(":1\r\n", "EXPIRE", "goes", "1000")
	listener := dial(t, s.addr)
	listener.do("HELLO", "3")
	listener.expect("+OK\r\n", "CLIENT", "TRACKING", "ON")
	listener.expect(":1\r\n", "ZCARD", "goes")
	listener.do("SUBSCRIBE", "__keyevent@0__:evicted")
	w.expect("+OK\r\n", "WATCH", "goes")
	w.expect("+OK\r\n", "MULTI")
	w.expect("+QUEUED\r\n", "ZADD", "other", "1", "m")
	other := dial(t, s.addr)
	other.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "1")
	eventually(t, "the background evicts", func() bool { return s.keyspace.Len() == 1 })
	listener.next(">2\r\n$10\r\ninvalidate\r\n*1\r\n$4\r\ngoes\r\n")
	listener.next(">3\r\n$7\r\nmessage\r\n$22\r\n__keyevent@0__:evicted\r\n$4\r\ngoes\r\n")
	w.expect(oomReply, "ZCARD", "stays")
	w.expect("+OK\r\n", "DISCARD")
	w.expect("$1\r\n1\r\n", "ZSCORE", "stays", "m")
	w.expect(oomReply, "ZADD", "stays", "2", "m")
	if n := w.info("evicted_keys"); n != 1 {
		t.Errorf("%d keys were evicted", n)
	}
	eventually(t, "time passes", func() bool { return w.info("current_eviction_exceeded_time") > 0 })
	w.expect("+OK\r\n", "CONFIG", "SET", "maxmemory", "0")
	w.expect(":0\r\n", "ZADD", "stays", "2", "m")
	if w.info("current_eviction_exceeded_time") != 0 || w.info("total_eviction_exceeded_time") == 0 {
		t.Errorf("too much was used for %d ms in all", w.info("total_eviction_exceeded_time"))
	}
	w.expect("+OK\r\n", "CONFIG", "RESETSTAT")
	for _, name := range []string{"evicted_keys", "total_eviction_exceeded_time", "evicted_clients", "keyspace_hits", "total_error_replies"} {
		if n := w.info(name); n != 0 {
			t.Errorf("after RESETSTAT %s is %d", name, n)
		}
	}
}

func TestUsageCommands(t *testing.T) {
	s := start(t, "--lfu-log-factor", "0")
	w := dial(t, s.addr)
	const noFrequency = "-ERR An LFU maxmemory policy is not selected, access frequency not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.\r\n"
	const noIdleTime = "-ERR An LFU maxmemory policy is selected, idle time not tracked. Please note that when switching between policies at runtime LRU and LFU data will take some time to adjust.\r\n"
	w.do("ZADD", "k", "1", "m")
	w.expect(noFrequency, "OBJECT", "FREQ", "k")
	w.expect(":0\r\n", "OBJECT", "IDLETIME", "k")
	w.expect("+OK\r\n", "CONFIG", "SET", "maxmemory-policy", "volatile-lfu")
	w.expect(":5\r\n", "OBJECT", "FREQ", "k")
	w.expect(noIdleTime, "OBJECT", "IDLETIME", "k")
	w.do("ZSCORE", "k", "m")
	w.do("ZSCORE", "k", "m")
	w.expect(":7\r\n", "OBJECT", "FREQ", "k")
	w.expect("$-1\r\n", "OBJECT", "FREQ", "missing")
	dump := w.do("DUMP", "k")
	payload := strings.TrimSuffix(dump[strings.Index(dump, "\r\n")+2:], "\r\n")
	w.expect("+OK\r\n", "RESTORE", "k", "0", payload, "REPLACE", "FREQ", "200")
	w.expect(":200\r\n", "OBJECT", "FREQ", "k")
	w.expect("+OK\r\n", "RESTORE", "k", "0", payload, "REPLACE", "IDLETIME", "100")
	w.expect(":5\r\n", "OBJECT", "FREQ", "k")
	w.expect("+OK\r\n", "CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
	w.expect("+OK\r\n", "RESTORE", "k", "0", payload, "REPLACE", "IDLETIME", "100")
	w.expect(":100\r\n", "OBJECT", "IDLETIME", "k")
	w.expect("+OK\r\n", "RESTORE", "k", "0", payload, "REPLACE", "FREQ", "9")
	w.expect(":0\r\n", "OBJECT", "IDLETIME", "k")
}
