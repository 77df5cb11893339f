package command

import "zset.dev/operator/node/keyspace"

// MostAhead is how many commands Foresee takes at most.
const MostAhead = keyspace.FetchMost

// foreseen is what is known of a command before its turn comes: which it is,
// nil when that is not clear from its first word, and where its key belongs, if it has one.
type foreseen struct {
	spec   *Spec
	place  keyspace.Place
	placed bool
}

// Foresee looks at commands that have arrived together before the first of
// them runs, so that what they will read is fetched for all at once. Call.Nth
// says of each, when its turn comes, which it was. Nothing of them is taken for granted but their words.
func (t *Table) Foresee(c *Call, commands [][][]byte) {
	if len(commands) < 2 {
		clear(c.ahead[:len(commands)])
		return
	}
	var space [MostAhead]keyspace.Wanted
	wanted := space[:0]
	var spec *Spec
	for i, args := range commands {
		f := &c.ahead[i]
		*f = foreseen{}
		if i == 0 || string(args[0]) != string(commands[i-1][0]) {
			spec = t.lookup(args[0])
		}
		if spec == nil || spec.Subs != nil {
			continue
		}
		f.spec = spec
		if spec.oneKey == 0 || spec.oneKey >= len(args) {
			continue
		}
		f.place, f.placed = c.Env.Keyspace.Place(args[spec.oneKey]), true
		w := keyspace.Wanted{Place: f.place}
		if at := spec.Member; at > 0 && at < len(args) {
			w.Member = args[at]
		} else if at < 0 {
			w.Member = args[len(args)+at]
		}
		wanted = append(wanted, w)
	}
	if len(wanted) > 1 && !c.tx.open {
		c.Env.Keyspace.Fetch(wanted)
	}
}

// foreseen is resolve for the command whose turn has come. at is the place of
// its one key, if that is known.
func (t *Table) foreseen(c *Call) (s *Spec, refusal string, at *keyspace.Place) {
	if nth := c.Nth; nth > 0 {
		c.Nth = 0 // what it runs itself is another command
		if f := &c.ahead[nth-1]; f.spec != nil {
			if f.placed {
				at = &f.place
			}
			return f.spec, "", at
		}
	}
	s, refusal = t.resolve(c.Args)
	return s, refusal, nil
}
