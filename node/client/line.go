package client

import (
	"fmt"
	"time"

	"zset.dev/operator/node/acl"
)

// fixedReply is how much of a reply real servers hold in a buffer of its own,
// obl; the rest is a list of oll parts, omem bytes, which tools watch.
const fixedReply = 16 << 10

// Line is the client's line of CLIENT LIST and CLIENT INFO, without its end.
// The fields are those real servers print; what this node does not have reads
// as none.
func (c *Client) Line(now time.Time) string {
	n := c.Names()
	command := "NULL"
	if last := c.lastCommand.Load(); last != nil {
		command = *last
	}
	user := acl.DefaultName
	if a := c.Account(); a != nil {
		user = a.Name()
	}
	queryUsed, queryCap := c.QueryUsed.Load(), c.QueryCap.Load()
	replyCap := c.ReplyCap.Load()
	messages, pushed := c.Messages()
	buffered, listed := c.ReplyUsed.Load(), int64(0)
	if buffered > fixedReply {
		buffered, listed = fixedReply, buffered-fixedReply
		messages++
	}
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=-1 name=%s age=%d idle=%d flags=%s capa=%s db=0 sub=%d psub=%d ssub=%d multi=%d watch=%d"+
		" qbuf=%d qbuf-free=%d argv-mem=0 multi-mem=%d rbs=%d rbp=%d obl=%d oll=%d omem=%d tot-mem=%d events=r cmd=%s user=%s redir=%d resp=%d"+
		" lib-name=%s lib-ver=%s tot-net-in=%d tot-net-out=%d tot-cmds=%d",
		c.ID, c.Addr, c.LAddr, n.Name, int64(now.Sub(c.Created).Seconds()), max(0, now.UnixMilli()-c.IdleSince())/1000, c.Flags(), c.Capabilities(),
		c.Channels.Load(), c.Patterns.Load(), c.ShardChannels.Load(), c.Queued.Load(), c.Watching.Load(),
		queryUsed, queryCap-queryUsed, c.Kept.Load(), replyCap, replyCap, buffered, messages, listed+pushed, c.Memory(), command,
		user, c.Redirect.Load(), c.Proto(),
		n.LibName, n.LibVer, c.BytesIn.Load(), c.BytesOut.Load(), c.Commands.Load())
}

// Letters are those that may stand for flags, here or in real servers.
const Letters = "OSMPxbtRBdcuAUreTINEi"

// Capabilities is what the client said it is capable of, by letters.
func (c *Client) Capabilities() string {
	if c.Is(Redirectable) {
		return "r"
	}
	return ""
}

// Flags is what the client is and does, by letters; N is nothing special.
func (c *Client) Flags() string {
	flags := ""
	add := func(is bool, letter byte) {
		if is {
			flags += string(letter)
		}
	}
	// In the order real servers print them.
	add(c.Is(Monitoring), 'O')
	add(c.Is(Following), 'S')
	add(c.Is(Leading), 'M')
	add(c.Subscriptions() > 0, 'P')
	add(c.Is(InTransaction), 'x')
	add(c.Is(Blocked|Postponed), 'b')
	add(c.Is(Tracking), 't')
	add(c.Is(TrackingBroken), 'R')
	add(c.Is(TrackingBroadcast), 'B')
	add(c.Is(Dirty), 'd')
	add(c.NoEvict.Load(), 'e')
	add(c.NoTouch.Load(), 'T')
	if flags == "" {
		return "N"
	}
	return flags
}
