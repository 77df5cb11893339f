package main

import (
	"fmt"
	"math/bits"
	"strings"
	"time"

	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
)

const (
	embeddedPipeline = 10
	embeddedClients  = 2
	embeddedMembers  = 5 // of the sets whose memory is measured

	nodeVariant = "node"
	peerVariant = "peer"

	keyMemory = "bytes per key of 16 bytes with 5 members"
)

var (
	embeddedKeyBytes = []int{14, 17, 22}
	embeddedCommands = []string{"ZADD", "ZSCORE", "DEL"}
)

var embedded = seed{
	name:  "embedded",
	title: "Key embedded in the dictionary entry",
	authors: "10 M random keys of 14, 17 and 22 bytes, pipeline 10, two client threads: SET, GET and DEL before and after. Seen: about 10 % more requests/s standalone, " +
		"5–20 % in a cluster; the same memory in all, less or more where sizes cross the allocator's classes.",
	ours: "Sorted-set commands on sets of one member stand for SET, GET and DEL, through servers over TCP on the same machine: a node of this project, whose entry, key and small set are " +
		"one allocation, beside another server. There is no node without the embedded key to compare with, so the peer's figures are the measure. " +
		"Bytes per key are by the growth of used_memory, beside the key's and the members' own.",
	requests: func(s settings) (requests []request) {
		n := 100_000
		if s.long {
			n = 300_000
		}
		for _, bytes := range embeddedKeyBytes {
			for _, server := range []struct{ variant, addr string }{{nodeVariant, s.addr}, {peerVariant, s.peer}} {
				if server.addr != "" {
					requests = append(requests, request{Variant: server.variant, Addr: server.addr, Members: n, Bytes: bytes, Runs: 3})
				}
			}
		}
		return requests
	},
	serve:  serveEmbedded,
	tables: embeddedTables,
}

// serveEmbedded runs the commands against a server, which must be empty and is so afterwards.
func serveEmbedded(r request) (values []value, err error) {
	control, err := dial(r.Addr)
	if err != nil {
		return nil, err
	}
	defer control.close()
	if n, err := control.integer("DBSIZE"); err != nil || n != 0 {
		return nil, fmt.Errorf("the server at %s is not empty: %d keys, %v", r.Addr, n, err)
	}
	for _, command := range embeddedCommands {
		took, err := throughput(r, command)
		if err != nil {
			return nil, err
		}
		values = append(values, value{r.Members, command, "1/s", float64(r.Members) / took.Seconds()})
	}
	if r.Bytes == embeddedKeyBytes[0] {
		bytes, err := memoryPerKey(control, r)
		if err != nil {
			return nil, err
		}
		values = append(values, value{r.Members, keyMemory, "B", bytes})
	}
	return values, nil
}

// throughput runs a command on each key once from several clients at a time.
func throughput(r request, command string) (time.Duration, error) {
	results := make(chan error, embeddedClients)
	began := time.Now()
	for client := range embeddedClients {
		go func() { results <- commands(r, command, client) }()
	}
	var failed error
	for range embeddedClients { // all end by themselves: each has its share of keys
		if err := <-results; err != nil {
			failed = err
		}
	}
	return time.Since(began), failed
}

// commands runs one client's share.
func commands(r request, command string, client int) error {
	c, err := dial(r.Addr)
	if err != nil {
		return err
	}
	defer c.close()
	keys := keyMaker(r.Bytes)
	var key []byte
	for i := client; i < r.Members; {
		sent := 0
		for ; sent < embeddedPipeline && i < r.Members; sent++ {
			key = keys(key[:0], i)
			switch command {
			case "ZADD":
				c.send("ZADD", string(key), "1", "member")
			case "ZSCORE":
				c.send("ZSCORE", string(key), "member")
			default:
				c.send(command, string(key))
			}
			i += embeddedClients
		}
		if err := c.receive(sent); err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

// keyMaker makes keys whose numbers are spread over all that their digits hold, none of them twice.
func keyMaker(size int) func(dst []byte, i int) []byte {
	members := workload.NewMembers(size)
	const factor, modulus = 618_033_988_751, 1_000_000_000_000 // without a common factor
	return func(dst []byte, i int) []byte {
		high, low := bits.Mul64(uint64(i), factor)
		_, number := bits.Div64(high, low, modulus)
		return members.Append(dst, int(number))
	}
}

// memoryPerKey fills the server with small sets and empties it again.
func memoryPerKey(control *conn, r request) (float64, error) {
	const keyBytes = 16
	members, keys := workload.NewMembers(workload.LeastBytes), workload.NewMembers(keyBytes)
	before, err := control.usedMemory()
	if err != nil {
		return 0, err
	}
	pipeline := func(command func(i int)) error {
		for i := 0; i < r.Members; {
			sent := 0
			for ; sent < 100 && i < r.Members; sent++ {
				command(i)
				i++
			}
			if err := control.receive(sent); err != nil {
				return err
			}
		}
		return nil
	}
	random := workload.Random(r.Random)
	err = pipeline(func(i int) {
		args := []string{"ZADD", string(keys.Append(nil, i))}
		for j := range embeddedMembers {
			args = append(args, fmt.Sprint(random.Float64()), string(members.Append(nil, j)))
		}
		control.send(args...)
	})
	if err != nil {
		return 0, err
	}
	after, err := control.usedMemory()
	if err != nil {
		return 0, err
	}
	if err := pipeline(func(i int) { control.send("DEL", string(keys.Append(nil, i))) }); err != nil {
		return 0, err
	}
	return float64(after-before)/float64(r.Members) - keyBytes - embeddedMembers*workload.LeastBytes, nil
}

func embeddedTables(figures report.Figures) []report.Table {
	sizes := sizesOf(figures, nodeVariant, "embedded: ZADD")
	if len(sizes) == 0 {
		return nil
	}
	n := sizes[len(sizes)-1]
	t := report.Table{Title: report.Count(n) + " keys, 1000 requests/s at pipeline 10 from two clients", Note: "Authors' scale: 10M keys.",
		Heads: []string{"command", "key bytes", nodeVariant, peerVariant, "node against peer"}}
	row := func(command string, bytes int, what, unit string, scale float64) {
		at := func(variant string) report.Figure {
			f, _ := figures.Find(report.Key{Contender: variant, Members: n, MemberBytes: bytes, Measure: "embedded: " + what, Unit: unit})
			return f
		}
		t.Add(command, fmt.Sprint(bytes), report.Spread(scaled(at(nodeVariant).Summary, scale)), report.Spread(scaled(at(peerVariant).Summary, scale)),
			change(at(peerVariant), at(nodeVariant)))
	}
	for _, command := range embeddedCommands {
		for _, bytes := range embeddedKeyBytes {
			row(command, bytes, command, "1/s", 1e-3)
		}
	}
	row(strings.Replace(keyMemory, " of 16 bytes", "", 1), embeddedKeyBytes[0], keyMemory, "B", 1)
	t.Rows[len(t.Rows)-1][1] = "16"
	return []report.Table{t}
}
