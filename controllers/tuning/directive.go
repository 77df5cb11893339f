package tuning

import (
	"fmt"
	"strconv"
	"strings"

	"zset.dev/operator/api/v1alpha1"
)

// Names of the directives that follow from the spec and can be changed while a node runs.
const (
	SkipListP        = "zset-skiplist-p"
	SkipListMaxLevel = "zset-skiplist-max-level"
	SkipListBlock    = "zset-skiplist-block-entries"
	ListpackEntries  = "zset-max-listpack-entries"
	ListpackValue    = "zset-max-listpack-value"
	MaxMemory        = "maxmemory"
	MaxMemoryPolicy  = "maxmemory-policy"

	MaxMemoryClients  = "maxmemory-clients"
	OutputBufferLimit = "client-output-buffer-limit"
	MinSyncReplicas   = "min-sync-replicas"
	AppendOnlyFiles   = "appendonly"
	AppendFsync       = "appendfsync"
	ShardSize         = "shard-size"
)

// Directive is one line of configuration, as in node.conf and CONFIG SET.
type Directive struct {
	Name, Value string
}

func (d Directive) String() string { return d.Name + " " + d.Value }

// List is directives in the order they are written.
type List []Directive

func (l List) String() string {
	lines := make([]string, len(l))
	for i, d := range l {
		lines[i] = d.String()
	}
	return strings.Join(lines, ", ")
}

// Names returns the names of the directives, in order.
func (l List) Names() []string {
	names := make([]string, len(l))
	for i, d := range l {
		names[i] = d.Name
	}
	return names
}

// FromSpec returns the directives that a spec asks for, with canonical values. It expects a spec with its defaults
// filled in; an error says which field is wrong and what is allowed.
func FromSpec(spec *v1alpha1.ZSetClusterSpec) (List, error) {
	p, err := canonicalP(spec.Engine.SkipList.P)
	if err != nil {
		return nil, fmt.Errorf("spec.engine.skipList.p: %w", err)
	}
	if spec.Engine.Listpack.MaxEntries == nil || spec.Engine.Listpack.MaxValueBytes == nil {
		return nil, fmt.Errorf("spec.engine.listpack: maxEntries and maxValueBytes must be set")
	}
	memory, err := MemoryOf(spec)
	if err != nil {
		return nil, fmt.Errorf("spec.%w", err)
	}
	list := List{
		{SkipListP, p},
		{SkipListMaxLevel, strconv.Itoa(int(spec.Engine.SkipList.MaxLevel))},
		{SkipListBlock, strconv.Itoa(int(spec.Engine.SkipList.BlockEntries))},
		{ListpackEntries, strconv.Itoa(int(*spec.Engine.Listpack.MaxEntries))},
		{ListpackValue, strconv.Itoa(int(*spec.Engine.Listpack.MaxValueBytes))},
		{MaxMemoryPolicy, spec.Engine.EvictionPolicy},
	}
	list = append(list, memory.directives()...)
	return append(list, durability(spec)...), nil
}

// Managed are the names of the directives that FromSpec returns, whatever the spec.
var Managed = []string{
	SkipListP, SkipListMaxLevel, SkipListBlock, ListpackEntries, ListpackValue, MaxMemoryPolicy,
	MaxMemory, MaxMemoryClients, OutputBufferLimit, MinSyncReplicas, AppendOnlyFiles, AppendFsync, ShardSize,
}

// canonicalP returns the text by which a node reports p: "1/e", or the shortest decimal that reads back to the same float.
func canonicalP(text string) (string, error) {
	const allowed = `p must be "1/e" or a decimal with 0 < p <= 0.75, such as "0.25"`
	if text == "1/e" {
		return text, nil
	}
	p, err := strconv.ParseFloat(text, 64)
	if err != nil || !(p > 0 && p <= 0.75) { // the negation refuses NaN too
		return "", fmt.Errorf("%s; got %q", allowed, text)
	}
	return strconv.FormatFloat(p, 'g', -1, 64), nil
}
