package config

import (
	"math"
	"strconv"
	"strings"

	"zset.dev/operator/zset"
)

// skipListP is the kind of zset-skiplist-p. Its text is canonical, so that a
// writer can compare what it wrote with what it reads: 1/e stays 1/e, a
// decimal is the shortest that reads back to the same double.
var skipListP = kind{
	allowed: "1/e, or a decimal above 0 and up to 0.75",
	set: func(v *Values, values []string, _ machine) error {
		p := P{Value: 1 / math.E, Text: "1/e"}
		if !strings.EqualFold(values[0], p.Text) {
			f, err := parseDecimal(values[0])
			if err != nil {
				return reason("argument must be 1/e or a decimal number")
			}
			p = P{Value: f, Text: strconv.FormatFloat(f, 'g', -1, 64)}
		}
		if err := checkTuning(func(o *zset.Options) { o.P = p.Value }); err != nil {
			return err
		}
		v.SkipListP = p
		return nil
	},
	get: func(v *Values) string { return v.SkipListP.Text },
}

// skipListMaxLevel is the kind of zset-skiplist-max-level.
var skipListMaxLevel = kind{
	allowed: "1 to 64",
	set: func(v *Values, values []string, _ machine) error {
		n, err := parseInteger(values[0], math.MinInt, math.MaxInt)
		if err != nil {
			return err
		}
		if err := checkTuning(func(o *zset.Options) { o.MaxLevel = n }); err != nil {
			return err
		}
		v.SkipListMaxLevel = n
		return nil
	},
	get: func(v *Values) string { return strconv.Itoa(v.SkipListMaxLevel) },
}

// skipListBlockEntries is the kind of zset-skiplist-block-entries.
var skipListBlockEntries = kind{
	allowed: "4 to 240",
	set: func(v *Values, values []string, _ machine) error {
		n, err := parseInteger(values[0], math.MinInt, math.MaxInt)
		if err != nil {
			return err
		}
		if err := checkTuning(func(o *zset.Options) { o.BlockEntries = n }); err != nil {
			return err
		}
		if n == 0 { // what the engine takes for its default is answered as that
			n = zset.DefaultOptions().BlockEntries
		}
		v.SkipListBlockEntries = n
		return nil
	},
	get: func(v *Values) string { return strconv.Itoa(v.SkipListBlockEntries) },
}

// listpackValue is the kind of zset-max-listpack-value, a memory size as in
// real servers.
var listpackValue = kind{
	allowed: "a memory size",
	set: func(v *Values, values []string, _ machine) error {
		n, ok := parseSize(values[0])
		if !ok {
			return reason("argument must be a memory value")
		}
		v.ZSetMaxListpackValue = int(n)
		return nil
	},
	get: func(v *Values) string { return strconv.Itoa(v.ZSetMaxListpackValue) },
}

// checkTuning asks the engine, which owns the rule, whether one changed
// option is allowed.
func checkTuning(change func(o *zset.Options)) error {
	o := zset.DefaultOptions()
	change(&o)
	if _, err := zset.NewTuning(o); err != nil {
		return selfContained(strings.TrimPrefix(err.Error(), "zset: "))
	}
	return nil
}

// tune makes v.Tuning from the directives, or keeps it when they ask for the
// same.
func tune(v *Values) error {
	o := zset.DefaultOptions()
	o.P, o.MaxLevel, o.BlockEntries = v.SkipListP.Value, v.SkipListMaxLevel, v.SkipListBlockEntries
	o.ListpackMaxEntries, o.ListpackMaxValueBytes = v.ZSetMaxListpackEntries, v.ZSetMaxListpackValue
	if v.Tuning != nil && v.Tuning.Options() == o {
		return nil
	}
	t, err := zset.NewTuning(o)
	if err != nil {
		return err
	}
	v.Tuning = t
	return nil
}
