package script

import (
	"testing"
	"time"

	"zset.dev/operator/node/resp"
)

// BenchmarkRun measures scripts without the commands they call.
//
//	go test ./node/script -run xxx -bench Run -benchmem
func BenchmarkRun(b *testing.B) {
	for _, c := range []struct{ name, source string }{
		{"nothing", `return 1`},
		{"limiter", `local key = KEYS[1]
local now = tonumber(ARGV[2])
local window = tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', key, 0, now - window)
local n = redis.call('ZCARD', key)
if n < tonumber(ARGV[4]) then
  redis.call('ZADD', key, now, now .. ':' .. ARGV[1])
  redis.call('PEXPIRE', key, window)
  return 1
end
return 0`},
		{"loop1000", `local n = 0 for i = 1, 1000 do n = n + i end return n`},
		{"fill1000", `local t = {} for i = 1, 1000 do t[i] = i end return #t`},
	} {
		b.Run(c.name, func(b *testing.B) {
			e := NewEngine()
			p, err := e.Eval(c.source)
			if err != nil {
				b.Fatal(err)
			}
			h := &quietHost{}
			words := [][]byte{[]byte("1"), []byte("1700000000"), []byte("60"), []byte("100")}
			var w resp.Writer
			b.ReportAllocs()
			for b.Loop() {
				w.Reset(1 << 16)
				if err := e.Run(p, Run{Host: h, Control: &Control{}, Keys: words[:1], Args: words, W: &w, Now: time.Now}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// quietHost answers every command with 1.
type quietHost struct{ fakeHost }

func (*quietHost) Call([][]byte) ([]byte, error) { return []byte(":1\r\n"), nil }
