package node

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// testdata/behaviours.txt says of each behaviour that clients rely on which
// test fails when it breaks:
//
//	# a heading
//	a behaviour in a few words
//		zadd > ZADD k 1 a       a line of testdata/transcripts/zadd.txt
//		TestPublish             a test of this package
//		command.TestPermit      of a package below this one
//		test/clients.TestX      of another, by its folder
//	command shutdown
//		TestShutdownCommand     what runs a command that no transcript runs
type behaviour struct {
	text, where string // what, and its place in the file
	tests       []string
}

const behavioursFile = "testdata/behaviours.txt"

func readBehaviours(t *testing.T) (all []behaviour) {
	t.Helper()
	text, err := os.ReadFile(behavioursFile)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(text)) {
		n++
		line = strings.TrimSuffix(line, "\n")
		switch test, indented := strings.CutPrefix(line, "\t"); {
		case line == "" || line[0] == '#':
		case !indented:
			all = append(all, behaviour{text: line, where: behavioursFile + ":" + strconv.Itoa(n)})
		case len(all) == 0:
			t.Fatalf("%s:%d: a test of nothing", behavioursFile, n)
		default:
			last := &all[len(all)-1]
			last.tests = append(last.tests, test)
		}
	}
	return all
}

// elsewhere are the commands that other tests than transcripts run.
func elsewhere(t *testing.T) map[string]bool {
	t.Helper()
	commands := map[string]bool{}
	for _, b := range readBehaviours(t) {
		if name, ok := strings.CutPrefix(b.text, "command "); ok {
			commands[name] = true
		}
	}
	return commands
}

// testsIn are the names of the tests in a folder.
func testsIn(t *testing.T, folder string) map[string]bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s has no tests: %v", folder, err)
	}
	names := map[string]bool{}
	for _, path := range files {
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && (strings.HasPrefix(fn.Name.Name, "Test") || strings.HasPrefix(fn.Name.Name, "Fuzz")) {
				names[fn.Name.Name] = true
			}
		}
	}
	return names
}

// transcriptLines are the commands of a transcript as they stand.
func transcriptLines(t *testing.T, name string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/transcripts/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "> "); ok {
			lines[command] = true
		}
	}
	return lines
}

func TestBehavioursAreTested(t *testing.T) {
	known := map[string]map[string]bool{} // tests by folder, commands by "transcript name"
	once := func(key string, read func() map[string]bool) map[string]bool {
		if known[key] == nil {
			known[key] = read()
		}
		return known[key]
	}
	commands := map[string]bool{}
	for _, name := range start(t).table.Names() {
		commands[name] = true
	}
	seen := map[string]bool{}
	for _, b := range readBehaviours(t) {
		if len(b.tests) == 0 {
			t.Errorf("%s: %q has no test", b.where, b.text)
		}
		if seen[b.text] {
			t.Errorf("%s: %q is there twice", b.where, b.text)
		}
		seen[b.text] = true
		if name, ok := strings.CutPrefix(b.text, "command "); ok && !commands[name] {
			t.Errorf("%s: there is no command %s", b.where, name)
		}
		for _, test := range b.tests {
			if transcript, command, ok := strings.Cut(test, " > "); ok {
				if !once("transcript "+transcript, func() map[string]bool { return transcriptLines(t, transcript) })[command] {
					t.Errorf("%s: the transcript %s has no %q", b.where, transcript, command)
				}
				continue
			}
			folder, name := ".", test
			if dot := strings.LastIndex(test, "."); dot >= 0 {
				folder, name = test[:dot], test[dot+1:]
				if strings.Contains(folder, "/") {
					folder = "../" + folder
				}
			}
			if !once(folder, func() map[string]bool { return testsIn(t, folder) })[name] {
				t.Errorf("%s: %s has no test %q", b.where, folder, name)
			}
		}
	}
}
