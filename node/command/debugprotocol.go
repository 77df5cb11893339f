package command

import "strings"

// protocolSamples are a value of each type of reply, for tests of clients.
var protocolSamples = map[string]func(*Call){
	"STRING":  func(c *Call) { c.W.BulkString("Hello World") },
	"INTEGER": func(c *Call) { c.W.Int(12345) },
	"DOUBLE":  func(c *Call) { c.W.Double(3.141) },
	"NULL":    func(c *Call) { c.W.Null() },
	"ARRAY": func(c *Call) {
		c.W.Array(3)
		c.replySmall(3)
	},
	"SET": func(c *Call) {
		c.W.Set(3)
		c.replySmall(3)
	},
	"MAP": func(c *Call) {
		c.W.Map(3)
		for i := range 3 {
			c.W.Int(int64(i))
			c.W.Bool(i == 1)
		}
	},
	"VERBATIM": func(c *Call) { c.W.Verbatim("txt", "This is a verbatim\nstring") },
	"TRUE":     func(c *Call) { c.W.Bool(true) },
	"FALSE":    func(c *Call) { c.W.Bool(false) },
	"BIGNUM":   func(c *Call) { c.W.BigNumber("1234567999999999999999999999999999999") },
	"ATTRIB": func(c *Call) {
		if c.W.Proto() == 3 {
			c.W.Attribute(1)
			c.W.BulkString("key-popularity")
			c.W.Array(2)
			c.W.BulkString("key:123")
			c.W.Int(90)
		}
		c.W.BulkString("Some real reply following the attribute")
	},
	// What is pushed is no reply, so one follows it: here before it, as in
	// real servers.
	"PUSH": func(c *Call) {
		if c.W.Proto() == 2 {
			c.W.Error("ERR RESP2 is not supported by this command")
			return
		}
		c.W.BulkString("Some real reply following the push reply")
		c.W.Push(2)
		c.W.BulkString("server-cpu-usage")
		c.W.Int(42)
	},
}

func (c *Call) replySmall(n int) {
	for i := range n {
		c.W.Int(int64(i))
	}
}

func debugProtocol(c *Call, args [][]byte) {
	reply, known := protocolSamples[strings.ToUpper(string(args[0]))]
	if !known {
		c.W.Error("ERR Wrong protocol type name. Please use one of the following: string|integer|double|bignum|null|array|set|map|attrib|push|verbatim|true|false")
		return
	}
	reply(c)
}
