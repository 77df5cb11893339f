package command

// refuseWrite is why no write may be executed at present: it would not be kept by those who have to. Empty when one may.
func (c *Call) refuseWrite() string {
	if Restraint(c.Env.restraints.Load())&DiskTrouble != 0 {
		if refusal := c.Env.Persistence.Refusal(!c.Nested); refusal != "" {
			return refusal
		}
	}
	if !c.Env.Gate.On() {
		return ""
	}
	return c.Env.Gate.Refusal()
}
