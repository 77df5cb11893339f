package tracking

import (
	"zset.dev/operator/node/client"
	"zset.dev/operator/node/resp"
)

// Channel is where a RESP2 client reads the invalidations of another.
const Channel = "__redis__:invalidate"

// tell sends a client, or whom it redirects to, the names of keys; nil says
// that all are gone. mu is held.
//
// RESP2 has no messages outside of a subscription: a client that speaks it
// gets none for itself, and those of another only while it is subscribed.
func (t *Table) tell(tr *tracker, keys []string) {
	to := tr.client
	if id := tr.options.Redirect; id != 0 {
		if to = t.clients.Get(id); to == nil {
			tr.client.Enter(client.TrackingBroken)
			if tr.client.Proto() == 3 {
				tr.client.Push(redirectBroken(id))
			}
			return
		}
	}
	switch {
	case to.Proto() == 3:
		to.Push(invalidation(3, keys))
	case to != tr.client && to.Subscriptions() > 0:
		to.Push(invalidation(2, keys))
	}
}

func invalidation(proto int, keys []string) []byte {
	var w resp.Writer
	w.SetProto(proto)
	if proto == 3 {
		w.Push(2)
		w.BulkString("invalidate")
	} else {
		w.Array(3)
		w.BulkString("message")
		w.BulkString(Channel)
	}
	if keys == nil {
		w.Null()
		return w.Bytes()
	}
	w.Array(len(keys))
	for _, key := range keys {
		w.BulkString(key)
	}
	return w.Bytes()
}

func redirectBroken(id uint64) []byte {
	var w resp.Writer
	w.SetProto(3)
	w.Push(2)
	w.BulkString("tracking-redir-broken")
	w.Int(int64(id))
	return w.Bytes()
}
