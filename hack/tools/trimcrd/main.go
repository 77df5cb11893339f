// Command trimcrd takes Kubernetes' own descriptions out of a CustomResourceDefinition that has parts of a Pod in it.
//
//	trimcrd FILE PATH     such as spec.podTemplate.spec
//
// Validation stays whole, `kubectl explain` still knows fields and types, and the object stays far below the 256 KiB that
// `kubectl apply` can remember of one; with the descriptions it would take twice that. Fields at PATH keep theirs, which are
// this project's; those below lose them.
package main

import (
	"fmt"
	"os"
	"strings"

	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: trimcrd FILE PATH")
		os.Exit(2)
	}
	if err := trim(os.Args[1], strings.Split(os.Args[2], ".")); err != nil {
		fmt.Fprintln(os.Stderr, "trimcrd:", err)
		os.Exit(1)
	}
}

func trim(file string, path []string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var crd map[string]any
	if err := yaml.Unmarshal(text, &crd); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	versions, _ := at(crd, "spec")["versions"].([]any)
	for _, v := range versions {
		version, _ := v.(map[string]any)
		schema := at(version, "schema", "openAPIV3Schema")
		for _, name := range path {
			schema = at(schema, "properties", name)
		}
		fields := at(schema, "properties")
		if fields == nil {
			return fmt.Errorf("%s: no fields at %s", file, strings.Join(path, "."))
		}
		for _, field := range fields {
			for key, below := range field.(map[string]any) {
				if key != "description" {
					strip(below)
				}
			}
		}
	}
	if text, err = yaml.Marshal(crd); err != nil {
		return err
	}
	return os.WriteFile(file, append([]byte("---\n"), text...), 0o644)
}

// at goes down through maps; nil where there is none.
func at(in map[string]any, path ...string) map[string]any {
	for _, key := range path {
		in, _ = in[key].(map[string]any)
	}
	return in
}

// strip removes the descriptions of schemas. A description is a text; a field that is named so has a schema.
func strip(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if _, text := s["description"].(string); text {
			delete(s, "description")
		}
		for _, below := range s {
			strip(below)
		}
	case []any:
		for _, below := range s {
			strip(below)
		}
	}
}
