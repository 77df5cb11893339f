package client

// State is what a client is doing beside answering commands.
type State uint32

// The states.
const (
	Blocked           State = 1 << iota // in a blocking pop
	Postponed                           // held by CLIENT PAUSE
	InTransaction                       // after MULTI
	Dirty                               // EXEC will fail: a watched key changed
	Monitoring                          // after MONITOR
	Tracking                            // after CLIENT TRACKING ON
	TrackingBroadcast                   // with BCAST
	TrackingBroken                      // whom it redirects to is gone
	Redirectable                        // CLIENT CAPA redirect
	Evicted                             // closed to free memory
	Following                           // a replica: after PSYNC or SYNC
	Leading                             // the primary this node follows
	Displaced                           // what it waited for ended as the node became a replica; it is closed
)

// Enter adds states.
func (c *Client) Enter(s State) { c.state.Or(uint32(s)) }

// Exit takes states away.
func (c *Client) Exit(s State) { c.state.And(^uint32(s)) }

// Is reports whether the client is in one of the states.
func (c *Client) Is(s State) bool { return c.state.Load()&uint32(s) != 0 }
