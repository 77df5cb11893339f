package noderesp

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"zset.dev/operator/controllers/tuning"
)

// Conn is an open conversation with one node. It is not safe for concurrent use.
type Conn interface {
	// ConfigGet returns the values of the named directives. Names the node does not know are absent.
	ConfigGet(ctx context.Context, names []string) (map[string]string, error)
	// ConfigSet changes directives, all of them or none. A *Refusal holds what the node has against them.
	ConfigSet(ctx context.Context, directives tuning.List) error
	// Shard returns what the node says of itself as one of a shard.
	Shard(ctx context.Context) (Shard, error)
	// Failover asks a primary to hand over to the replica at host and port, and to stay the primary if that one does not
	// have everything within timeout. The node answers at once; what comes of it is in Shard. A *Refusal holds its words.
	Failover(ctx context.Context, host string, port int, timeout time.Duration) error
	// Close ends the conversation.
	Close() error
}

// Dial opens a conversation with the node at address (host:port) and checks that it answers.
type Dial func(ctx context.Context, address string) (Conn, error)

// Refusal is an error reply of a node, with the node's own words.
type Refusal struct{ Reply string }

func (r *Refusal) Error() string { return r.Reply }

// Timeout bounds dialing and each exchange. Nodes are near; one that takes longer is treated as unreachable. It is short enough
// for a look at a shard one of whose machines is dead to end within a second.
const Timeout = 800 * time.Millisecond

// clientName is the name by which the operator shows up in a node's CLIENT LIST.
const clientName = "zset-operator"

func init() {
	// The client library prints failed dials to standard error on its own; the operator reports them in its own way.
	redis.SetLogger(&logging.VoidLogger{})
}

// DialRESP is the Dial of a real node.
func DialRESP(ctx context.Context, address string) (Conn, error) {
	client := redis.NewClient(&redis.Options{
		Addr:            address,
		ClientName:      clientName,
		DialTimeout:     Timeout,
		ReadTimeout:     Timeout,
		WriteTimeout:    Timeout,
		PoolTimeout:     Timeout,
		PoolSize:        1,
		MaxRetries:      -1, // none: the reconciler looks again
		DialerRetries:   1,
		DisableIdentity: true,
		// Nodes are looked up anew each time, so what they would announce is of no use here.
		MaintNotificationsConfig: &maintnotifications.Config{Mode: maintnotifications.ModeDisabled},
	})
	c := &conn{client}
	if err := client.Ping(ctx).Err(); err != nil {
		return nil, errors.Join(fmt.Errorf("ping %s: %w", address, classify(err)), c.Close())
	}
	return c, nil
}

type conn struct{ client *redis.Client }

func (c *conn) ConfigGet(ctx context.Context, names []string) (map[string]string, error) {
	args := []any{"CONFIG", "GET"}
	for _, name := range names {
		args = append(args, name)
	}
	cmd := redis.NewMapStringStringCmd(ctx, args...)
	if err := c.client.Process(ctx, cmd); err != nil {
		return nil, fmt.Errorf("CONFIG GET: %w", classify(err))
	}
	return cmd.Val(), nil
}

func (c *conn) ConfigSet(ctx context.Context, directives tuning.List) error {
	args := []any{"CONFIG", "SET"}
	for _, d := range directives {
		args = append(args, d.Name, d.Value)
	}
	if err := c.client.Do(ctx, args...).Err(); err != nil {
		return fmt.Errorf("CONFIG SET: %w", classify(err))
	}
	return nil
}

func (c *conn) Close() error { return c.client.Close() }

// classify turns an error reply into a *Refusal and leaves what the network did as it is.
func classify(err error) error {
	var reply redis.Error
	if errors.As(err, &reply) {
		return &Refusal{Reply: reply.Error()}
	}
	return err
}
