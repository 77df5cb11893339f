package command

// Restraint is a reason to refuse commands, for a while and whoever sends them.
type Restraint uint32

// The reasons.
const (
	WhileLoading Restraint = 1 << iota // data are loaded
	DiskTrouble                        // writes may not be kept
)

// Restrain says that commands are refused, or no longer, for that reason.
func (env *Env) Restrain(why Restraint, on bool) {
	if on {
		env.restraints.Or(uint32(why))
	} else {
		env.restraints.And(^uint32(why))
	}
}

// Loading reports whether data are loaded.
func (env *Env) Loading() bool { return Restraint(env.restraints.Load())&WhileLoading != 0 }

const errLoading = "LOADING Redis is loading the dataset in memory"

// restrained is why the command may not run now; empty when it may.
func (c *Call) restrained(spec *Spec) string {
	why := Restraint(c.Env.restraints.Load())
	switch {
	case why&WhileLoading != 0 && c.lacks(spec, Loading):
		return errLoading
	case why&DiskTrouble != 0 && spec.Name == "ping": // as real servers have it, for those who ask whether the node is well
		return c.Env.Persistence.Refusal(false)
	}
	return ""
}

// queuesAnyWithout reports whether the command is EXEC and some command that is queued does not have a flag.
func (c *Call) queuesAnyWithout(spec *Spec, flag Flags) bool {
	if !c.tx.open || spec.Name != "exec" {
		return false
	}
	for _, q := range c.tx.queue {
		if q.spec.Flags&flag == 0 {
			return true
		}
	}
	return false
}
