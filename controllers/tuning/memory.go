package tuning

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"zset.dev/operator/api/v1alpha1"
)

const (
	mi = 1 << 20

	// defaultMemoryPercent of the memory limit is what data may take when the spec does not say, if so much fits.
	defaultMemoryPercent = 75

	// movedSets is what a node keeps at most of sets that move to another key while they are logged.
	movedSets = 32 * mi
	// diskBehind is how much log waits at most for a disk that is slower than the writes.
	diskBehind = 64 * mi
)

// Beside is what a node needs beside its data, in bytes, for a container's memory limit.
type Beside struct {
	// Log is how far a replica, or the disk, may be behind: what they have not got yet is in memory. It has to last for a full
	// synchronisation, during which all that is written waits. An eighth of the limit, 16 MiB to 256 MiB; with append-only
	// files at least the 64 MiB from which on writes wait for the disk.
	Log int64
	// Clients is what commands and replies of all clients together may take: a sixteenth of the limit, 8 MiB to 256 MiB. The
	// node closes those that take most beyond it.
	Clients int64
	// Moved is for sets that move to another key, 32 MiB: node/command bounds it.
	Moved int64
	// Rest is a tenth of the limit, which the node leaves to what it does not count: the program itself, its stacks, garbage
	// of the Go heap, the kernel's socket buffers (node.LimitMemory).
	Rest int64
}

// Bytes is all of it.
func (b Beside) Bytes() int64 { return b.Log + b.Clients + b.Moved + b.Rest }

func (b Beside) String() string {
	return fmt.Sprintf("%s for what replicas or the disk are behind, %s for clients, %s for sets that move, %s for the process",
		mebibytes(b.Log), mebibytes(b.Clients), mebibytes(b.Moved), mebibytes(b.Rest))
}

// besideData is what a node needs beside its data in a container of so many bytes.
func besideData(limit int64, appendOnly bool) Beside {
	b := Beside{
		Log:     min(max(limit/8, 16*mi), 256*mi),
		Clients: min(max(limit/16, 8*mi), 256*mi),
		Moved:   movedSets,
		Rest:    limit / 10,
	}
	if appendOnly {
		b.Log = max(b.Log, diskBehind)
	}
	return b
}

// Memory is how a node divides the memory it may use, in bytes. 0 is no limit of the operator's.
type Memory struct {
	Data int64 // maxmemory
	Beside
}

// MemoryOf divides a container's memory limit so that the kernel never ends a node, neither under load nor while a replica
// synchronises: Data + Log + Clients + Moved + Rest <= limit. A share (such as "75%", the default) is taken of the limit and cut to
// what fits; an amount that does not fit is an error. Without a limit there is nothing to divide.
//
// The operator resolves percentages rather than the node, so that what a node reports can be compared with what is wanted.
func MemoryOf(spec *v1alpha1.ZSetClusterSpec) (Memory, error) {
	limit := spec.Resources.Limits.Memory().Value() // 0 when there is none
	text := spec.Engine.MaxMemory
	if limit == 0 {
		return unlimited(text)
	}
	beside := besideData(limit, AppendOnly(spec))
	fits := limit - beside.Bytes()
	if fits < mi {
		return Memory{}, fmt.Errorf("resources.limits.memory of %s leaves no room for data: a node needs %s beside them (%s). Raise the limit",
			mebibytes(limit), mebibytes(beside.Bytes()), beside)
	}
	percent := int64(defaultMemoryPercent)
	switch digits, share := strings.CutSuffix(text, "%"); {
	case text == "":
	case share:
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > 100 {
			return Memory{}, fmt.Errorf(`engine.maxMemory: a percentage must be from "1%%" to "100%%"; got %q`, text)
		}
		percent = int64(n)
	default:
		data, err := amount(text)
		if err != nil {
			return Memory{}, err
		}
		if data > fits {
			return Memory{}, fmt.Errorf("engine.maxMemory of %s does not fit into resources.limits.memory of %s: a node needs %s beside its data (%s). "+
				"Lower engine.maxMemory to %s or less, or raise the limit",
				mebibytes(data), mebibytes(limit), mebibytes(beside.Bytes()), beside, mebibytes(fits))
		}
		return Memory{data, beside}, nil
	}
	return Memory{min(percentOf(limit, percent), fits), beside}, nil
}

func unlimited(text string) (Memory, error) {
	switch {
	case text == "":
		return Memory{}, nil
	case strings.HasSuffix(text, "%"):
		return Memory{}, fmt.Errorf("engine.maxMemory: %q needs resources.limits.memory: set that limit, or give an amount such as \"2Gi\"", text)
	}
	data, err := amount(text)
	return Memory{Data: data}, err
}

func amount(text string) (int64, error) {
	q, err := resource.ParseQuantity(text)
	if err != nil || q.Sign() <= 0 {
		return 0, fmt.Errorf(`engine.maxMemory must be a percentage such as "75%%" or an amount such as "2Gi"; got %q`, text)
	}
	return q.Value(), nil
}

// directives are those that keep a node within what Memory says. The names of classes and the order are those of CONFIG GET.
// A node without a limit has the defaults of the directives.
func (m Memory) directives() List {
	behind := m.Log
	if behind == 0 {
		behind = 256 * mi
	}
	return List{
		{MaxMemory, strconv.FormatInt(m.Data, 10)},
		{MaxMemoryClients, strconv.FormatInt(m.Clients, 10)},
		{OutputBufferLimit, fmt.Sprintf("normal %d 0 0 slave %d 0 0 pubsub %d %d 60", 256*mi, behind, 32*mi, 8*mi)},
	}
}

// percentOf is n*percent/100, rounded down, without overflow for any n >= 0.
func percentOf(n, percent int64) int64 {
	return n/100*percent + n%100*percent/100
}

// mebibytes is an amount as people write it, rounded down.
func mebibytes(n int64) string { return fmt.Sprintf("%dMi", n/mi) }
