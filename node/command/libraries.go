package command

// Libraries is the code of the functions that there are.
func (env *Env) Libraries() (codes [][]byte) {
	for _, lib := range env.Scripts.engine.Libraries.All() {
		codes = append(codes, []byte(lib.Source))
	}
	return codes
}

// LoadLibrary adds the functions of a file, instead of those of the same library.
func (env *Env) LoadLibrary(code []byte) error { return env.addLibrary(code, true) }

func (env *Env) addLibrary(code []byte, replace bool) error {
	c := Call{Env: env}
	_, err := env.Scripts.engine.Libraries.Load(string(code), replace, c.logFrom, env.Now)
	return err
}
