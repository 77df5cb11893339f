package client

// Memory is the bytes the client takes: its buffers, what waits to be sent to
// it, and what its commands make the node keep.
func (c *Client) Memory() int64 {
	return c.QueryCap.Load() + c.ReplyCap.Load() + c.pushed.Load() + c.Kept.Load()
}
