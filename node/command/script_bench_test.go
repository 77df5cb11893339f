package command

import (
	"fmt"
	"testing"
	"time"

	"zset.dev/operator/node/script"
)

// slidingWindow is the rate limiter many applications bring along.
const slidingWindow = `local key, now, window, limit = KEYS[1], tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', key, '-inf', now - window)
if redis.call('ZCARD', key) >= limit then return 0 end
redis.call('ZADD', key, now, ARGV[4])
redis.call('PEXPIRE', key, window)
return 1`

// BenchmarkScripts measures scripts without their way through sockets.
func BenchmarkScripts(b *testing.B) {
	for _, s := range []struct {
		name, source string
		args         func(i int) []string
	}{
		{"nothing", "return 1", func(int) []string { return nil }},
		{"limiter", slidingWindow, func(i int) []string { return []string{fmt.Sprint(i), "100", "1000", fmt.Sprint("request:", i)} }},
	} {
		b.Run(s.name, func(b *testing.B) {
			table, c := testCall(b, time.Now)
			execute := func(args [][]byte) {
				c.Args = args
				table.Execute(c)
				if c.W.Bytes()[0] == '-' {
					b.Fatalf("%q answered %q", args, c.W.Bytes())
				}
				c.W.Reset(64 << 10)
			}
			execute(byteWords("SCRIPT", "LOAD", s.source))
			const rounds = 50_000
			prepared := make([][][]byte, rounds)
			for i := range prepared {
				prepared[i] = byteWords(append([]string{"EVALSHA", script.SHA(s.source), "1", fmt.Sprintf("user:%03d", i%100)}, s.args(i)...)...)
			}
			b.ReportAllocs()
			b.ResetTimer()
			for i := range b.N {
				execute(prepared[i%rounds])
			}
		})
	}
}
