package tuning

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

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

// defaultMemoryPercent of the memory limit is what data may take when the spec does not say.
const defaultMemoryPercent = 75

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
	bytes, err := maxMemoryBytes(spec)
	if err != nil {
		return nil, fmt.Errorf("spec.engine.maxMemory: %w", err)
	}
	return List{
		{SkipListP, p},
		{SkipListMaxLevel, strconv.Itoa(int(spec.Engine.SkipList.MaxLevel))},
		{SkipListBlock, strconv.Itoa(int(spec.Engine.SkipList.BlockEntries))},
		{ListpackEntries, strconv.Itoa(int(*spec.Engine.Listpack.MaxEntries))},
		{ListpackValue, strconv.Itoa(int(*spec.Engine.Listpack.MaxValueBytes))},
		{MaxMemory, strconv.FormatInt(bytes, 10)},
		{MaxMemoryPolicy, spec.Engine.EvictionPolicy},
	}, nil
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

// maxMemoryBytes returns how many bytes data may take on a node; 0 means no limit. The operator resolves percentages
// rather than the node, so that what a node reports can be compared with what is wanted.
func maxMemoryBytes(spec *v1alpha1.ZSetClusterSpec) (int64, error) {
	limit := spec.Resources.Limits.Memory().Value() // 0 when there is none
	text := spec.Engine.MaxMemory
	if text == "" {
		return percentOf(limit, defaultMemoryPercent), nil
	}
	if digits, ok := strings.CutSuffix(text, "%"); ok {
		percent, err := strconv.Atoi(digits)
		if err != nil || percent < 1 || percent > 100 {
			return 0, fmt.Errorf(`a percentage must be from "1%%" to "100%%"; got %q`, text)
		}
		if limit == 0 {
			return 0, fmt.Errorf("%q needs resources.limits.memory: set that limit, or give an amount such as \"2Gi\"", text)
		}
		return percentOf(limit, int64(percent)), nil
	}
	amount, err := resource.ParseQuantity(text)
	if err != nil || amount.Sign() <= 0 {
		return 0, fmt.Errorf(`must be a percentage such as "75%%" or an amount such as "2Gi"; got %q`, text)
	}
	return amount.Value(), nil
}

// percentOf is n*percent/100, rounded down, without overflow for any n >= 0.
func percentOf(n, percent int64) int64 {
	return n/100*percent + n%100*percent/100
}
