package script

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Libraries are those loaded, and their functions, whose names are unique
// among all. Case does not count in the names of functions. It may be used from
// any goroutine.
type Libraries struct {
	engine *Engine
	writer sync.Mutex // held by who makes a change ready
	mu     sync.RWMutex
	set    librarySet // guarded by mu; changed by the writer only
}

// librarySet is some libraries.
type librarySet struct {
	libraries []*Library // in the order they were loaded
	byName    map[string]*Library
	functions map[string]*Function // by lower-case name
}

func newLibrarySet() librarySet {
	return librarySet{byName: map[string]*Library{}, functions: map[string]*Function{}}
}

// Policy says what becomes of the libraries there are when others are restored.
type Policy uint8

// The policies of FUNCTION RESTORE.
const (
	Append  Policy = iota // they stay; one of the same name is an error
	Replace               // those of the same name are replaced
	Flush                 // they go
)

// Load loads one library, and returns its name. A library of that name is an
// error unless it may be replaced. Errors are replies' texts; after one all is
// as it was. log gets what the library logs.
func (ls *Libraries) Load(source string, replace bool, log func(level int, text string), now func() time.Time) (name string, err error) {
	ls.writer.Lock()
	defer ls.writer.Unlock()
	lib, err := ls.make(&ls.set, source, replace, log, now)
	if err != nil {
		return "", err
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.set.put(lib)
	return lib.Name, nil
}

// Restore loads libraries, all or none.
func (ls *Libraries) Restore(sources []string, policy Policy, log func(level int, text string), now func() time.Time) error {
	ls.writer.Lock()
	defer ls.writer.Unlock()
	to := newLibrarySet()
	if policy != Flush {
		for _, lib := range ls.set.libraries {
			to.put(lib)
		}
	}
	for _, source := range sources {
		lib, err := ls.make(&to, source, policy == Replace, log, now)
		var taken nameTaken
		if errors.As(err, &taken) {
			return fmt.Errorf("ERR Library %s already exists", string(taken))
		}
		if err != nil {
			return err
		}
		to.put(lib)
	}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.set = to
	return nil
}

// nameTaken is the error for a library whose name another has.
type nameTaken string

func (n nameTaken) Error() string { return "ERR Library '" + string(n) + "' already exists" }

// make is a library that may be put into a set.
func (ls *Libraries) make(to *librarySet, source string, replace bool, log func(level int, text string), now func() time.Time) (*Library, error) {
	name, _, err := libraryHead(source)
	if err != nil {
		return nil, err
	}
	if to.byName[name] != nil && !replace {
		return nil, nameTaken(name)
	}
	lib, err := ls.engine.loadLibrary(source, log, now)
	if err != nil {
		return nil, err
	}
	for _, f := range lib.Functions {
		if other := to.functions[strings.ToLower(f.Name)]; other != nil && other.library.Name != name {
			return nil, fmt.Errorf("ERR Function %s already exists", f.Name)
		}
	}
	return lib, nil
}

// put adds a library, in the place of one of its name.
func (s *librarySet) put(lib *Library) {
	s.remove(lib.Name)
	s.libraries = append(s.libraries, lib)
	s.byName[lib.Name] = lib
	for _, f := range lib.Functions {
		s.functions[strings.ToLower(f.Name)] = f
	}
}

// remove removes a library, and reports whether there was one of that name.
func (s *librarySet) remove(name string) bool {
	lib := s.byName[name]
	if lib == nil {
		return false
	}
	delete(s.byName, name)
	s.libraries = slices.DeleteFunc(s.libraries, func(other *Library) bool { return other == lib })
	for _, f := range lib.Functions {
		delete(s.functions, strings.ToLower(f.Name))
	}
	return true
}

// Delete removes a library, and reports whether there was one of that name.
func (ls *Libraries) Delete(name string) bool {
	ls.writer.Lock()
	defer ls.writer.Unlock()
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.set.remove(name)
}

// Flush removes all libraries.
func (ls *Libraries) Flush() {
	ls.writer.Lock()
	defer ls.writer.Unlock()
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.set = newLibrarySet()
	ls.engine.dropMachines() // and what they have of the libraries
}

// Function is the function of that name, in any case; nil when there is none.
func (ls *Libraries) Function(name string) *Function {
	ls.mu.RLock()
	defer ls.mu.RUnlock()
	return ls.set.functions[strings.ToLower(name)]
}

// All is every library, in the order they were loaded.
func (ls *Libraries) All() []*Library {
	ls.mu.RLock()
	defer ls.mu.RUnlock()
	return slices.Clone(ls.set.libraries)
}

// Count is how many libraries and functions there are.
func (ls *Libraries) Count() (libraries, functions int) {
	ls.mu.RLock()
	defer ls.mu.RUnlock()
	return len(ls.set.libraries), len(ls.set.functions)
}
