package main

import (
	"fmt"
	"strings"
	"time"

	"zset.dev/operator/hack/bench/contender"
	"zset.dev/operator/hack/bench/measure"
	"zset.dev/operator/hack/bench/report"
	"zset.dev/operator/hack/bench/workload"
)

const (
	fillKeys   = 10_000
	pushRounds = 20
	entryBytes = 16

	fillVariant = "fill"
	pushVariant = "push"

	perEntry  = "bytes per entry"
	perSecond = "inserts"
)

// packedForms are what is compared, the first standing for the authors' linked list.
var packedForms = []contender.Form{{Name: contender.Zset, P: 0.25}, {Name: contender.Listpack}, {Name: contender.ZsetDefaults, P: 0.25}}

var packed = seed{
	name:  "packed",
	title: "Packed small collections",
	authors: "16-byte entries are appended round-robin to 10,000 keys until 8 MB and 64 MB are full; and 1 M pushes to 1 M keys, 20 times, pipelined. " +
		"Seen: 152.6 and 108.3 bytes an entry as linked lists, 20.6 and 26.6 packed; 175 k → 148 k inserts/s (−15 %).",
	ours: "200,000 keys for the pushes. Sorted sets for lists, the entry being the member and a running number its score, so each append goes to the end as theirs did; a skip list for the " +
		"linked list. Bytes are those of the sets, without keys and dictionary; inserts/s are the engine's without a server around it, where the packed form's cost shows " +
		"undiluted. `listpack` is packed at any size, `zset-defaults` turns to a skip list beyond 128 members.",
	requests: func(s settings) (requests []request) {
		keys := 50_000
		if s.long {
			keys = 200_000
		}
		for _, f := range packedForms {
			for _, bytes := range []int{8_000_000, 64_000_000} {
				requests = append(requests, request{Variant: fillVariant, Form: f, Members: bytes, Bytes: entryBytes})
			}
			requests = append(requests, request{Variant: pushVariant, Form: f, Members: keys, Bytes: entryBytes})
		}
		return requests
	},
	serve: func(r request) ([]value, error) {
		full, keys := r.Members, fillKeys
		if r.Variant == pushVariant {
			full, keys = 0, r.Members
		}
		return appendRoundRobin(r, keys, full), nil
	},
	tables: packedTables,
}

// appendRoundRobin appends entries to keys in turn until the sets have the given number of bytes, or for
// pushRounds rounds if that is 0.
func appendRoundRobin(r request, keys, full int) []value {
	const batch = 1000 // divides the keys
	members := workload.NewMembers(r.Bytes)
	sets := make([]contender.Set, keys)
	bytes := 0
	for i := range sets {
		sets[i] = r.Form.New(r.Random)
		bytes += sets[i].Bytes()
	}
	empty := bytes
	var member []byte
	var took time.Duration
	entries := 0
	for full > 0 && bytes < full || full == 0 && entries < pushRounds*keys {
		turn := sets[entries%keys:][:batch]
		for _, set := range turn {
			bytes -= set.Bytes()
		}
		member = member[:0]
		for i := range batch {
			member = members.Append(member, entries+i)
		}
		began := measure.ThreadTime()
		for i, set := range turn {
			set.Add(member[i*r.Bytes:(i+1)*r.Bytes], float64(entries+i))
		}
		took += measure.ThreadTime() - began
		for _, set := range turn {
			bytes += set.Bytes()
		}
		entries += batch
	}
	if full == 0 {
		empty = 0 // what many sets of few entries cost is what this form is about
	}
	for _, set := range sets {
		set.Release()
	}
	name := r.Variant + ": "
	return []value{
		{r.Members, name + perEntry, "B", float64(bytes-empty) / float64(entries)},
		{r.Members, name + perSecond, "1/s", float64(entries) / took.Seconds()},
	}
}

func packedTables(figures report.Figures) (tables []report.Table) {
	for _, part := range []struct{ variant, title, note string }{
		{fillVariant, "16-byte entries appended to 10,000 keys", "Of the authors: 152.6 and 108.3 bytes linked, 20.6 and 26.6 packed."},
		{pushVariant, "20 entries of 16 bytes pushed to each of many keys", "Authors' scale: 1M keys. Bytes are with the sets' own. Of the authors: 175 k and 148 k inserts/s."},
	} {
		first := packedForms[0]
		sizes := sizesOf(figures, first.Name, "packed: "+part.variant+": "+perEntry)
		if len(sizes) == 0 {
			continue
		}
		heads := []string{"contender"}
		for _, n := range sizes {
			of := report.Count(n) + " keys"
			if part.variant == fillVariant {
				of = fmt.Sprintf("%d MB", n/1_000_000)
			}
			heads = append(heads, of+": bytes per entry", of+": 1000 inserts/s", of+": change")
		}
		t := report.Table{Title: part.title, Note: part.note, Heads: heads}
		if part.variant == fillVariant {
			t.Note = strings.TrimSpace(t.Note + " " + packedNote(figures))
		}
		for _, f := range packedForms {
			cells := []string{f.String()}
			for _, n := range sizes {
				at := func(f contender.Form, what, unit string) report.Figure {
					k := request{Seed: "packed", Form: f, Bytes: entryBytes}.key(value{n, part.variant + ": " + what, unit, 0})
					figure, _ := figures.Find(k)
					return figure
				}
				rate := at(f, perSecond, "1/s")
				cells = append(cells, report.Spread(at(f, perEntry, "B").Summary), report.Spread(scaled(rate.Summary, 1e-3)),
					change(at(first, perSecond, "1/s"), rate))
			}
			t.Add(cells...)
		}
		tables = append(tables, t)
	}
	return tables
}

// packedNote says how many times the data fits in the same memory.
func packedNote(figures report.Figures) string {
	var said []string
	for _, n := range sizesOf(figures, contender.Listpack, "packed: "+fillVariant+": "+perEntry) {
		find := func(f contender.Form) float64 {
			figure, _ := figures.Find(request{Seed: "packed", Form: f, Bytes: entryBytes}.key(value{n, fillVariant + ": " + perEntry, "B", 0}))
			return figure.Median
		}
		if plain, dense := find(packedForms[0]), find(packedForms[1]); plain > 0 && dense > 0 {
			said = append(said, fmt.Sprintf("%.1f × at %d MB", plain/dense, n/1_000_000))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "Packed, the same memory holds " + strings.Join(said, ", ") + " the entries of the skip list."
}
