package client

import (
	"fmt"
	"time"
)

// Line is the client's line of CLIENT LIST and CLIENT INFO, without its end.
// The fields are those real servers print; what this node does not have
// (databases beside 0, subscriptions, transactions) reads as none.
func (c *Client) Line(now time.Time) string {
	n := c.Names()
	command := "NULL"
	if last := c.lastCommand.Load(); last != nil {
		command = *last
	}
	queryUsed, queryCap := c.QueryUsed.Load(), c.QueryCap.Load()
	replyCap := c.ReplyCap.Load()
	return fmt.Sprintf("id=%d addr=%s laddr=%s fd=-1 name=%s age=%d idle=%d flags=%s capa= db=0 sub=0 psub=0 ssub=0 multi=-1 watch=0"+
		" qbuf=%d qbuf-free=%d argv-mem=0 multi-mem=0 rbs=%d rbp=%d obl=%d oll=0 omem=0 tot-mem=%d events=r cmd=%s user=default redir=-1 resp=%d"+
		" lib-name=%s lib-ver=%s tot-net-in=%d tot-net-out=%d tot-cmds=%d",
		c.ID, c.Addr, c.LAddr, n.Name, int64(now.Sub(c.Created).Seconds()), max(0, now.UnixMilli()-c.IdleSince())/1000, c.flags(),
		queryUsed, queryCap-queryUsed, replyCap, replyCap, c.ReplyUsed.Load(), queryCap+replyCap, command, c.Proto(),
		n.LibName, n.LibVer, c.BytesIn.Load(), c.BytesOut.Load(), c.Commands.Load())
}

func (c *Client) flags() string {
	flags := ""
	if c.NoEvict.Load() {
		flags += "e"
	}
	if c.NoTouch.Load() {
		flags += "T"
	}
	if flags == "" {
		return "N"
	}
	return flags
}
