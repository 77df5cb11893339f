package command

// refuseWrite is why no write may be executed at present: it would not be kept by those who have to. Empty when one may.
func (c *Call) refuseWrite() string {
	if !c.Env.Gate.On() {
		return ""
	}
	return c.Env.Gate.Refusal()
}
