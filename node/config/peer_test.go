package config

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// TestPeerErrors asks running servers for the errors of CONFIG SET, as in
//
//	RESP_PEERS=127.0.0.1:7001,127.0.0.1:7002 go test ./node/config -run Peer -v
func TestPeerErrors(t *testing.T) {
	list := os.Getenv("RESP_PEERS")
	if list == "" {
		t.Skip("set RESP_PEERS=host:port,... to compare with running servers")
	}
	for _, address := range strings.Split(list, ",") {
		client := redis.NewClient(&redis.Options{Addr: address})
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		for _, r := range refused {
			if !r.shared {
				continue
			}
			command := []any{"CONFIG", "SET"}
			for _, word := range r.pairs {
				command = append(command, word)
			}
			if err := client.Do(ctx, command...).Err(); err == nil || err.Error() != r.want {
				t.Errorf("%s: CONFIG SET %q answers\n\t%v, ours is\n\t%s", address, r.pairs, err, r.want)
			}
		}
		cancel()
		client.Close()
	}
}
