//go:build linux

package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"zset.dev/operator/hack/bench/node/server"
)

// programs builds the node into a folder and gets the peers; versions are those of the peers.
func (s *settings) programs(ctx context.Context, folder string) (programs []server.Program, versions []string, err error) {
	root, err := output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}", "zset.dev/operator")
	if err != nil {
		return nil, nil, err
	}
	peers := ""
	for _, name := range s.servers {
		other, path, build := strings.Cut(name, "=")
		switch {
		case build:
			programs = append(programs, server.Program{Name: other, Path: path, Node: true})
		case name == nodeName && s.node != "":
			programs = append(programs, server.Program{Name: name, Path: s.node, Node: true})
		case name == nodeName:
			fmt.Fprintln(os.Stderr, "building the node")
			path := filepath.Join(folder, "node")
			if _, err := output(ctx, root, "go", "build", "-trimpath", "-o", path, "./cmd/node"); err != nil {
				return nil, nil, err
			}
			programs = append(programs, server.Program{Name: name, Path: path, Node: true})
		default:
			if peers == "" {
				if peers, err = output(ctx, root, "hack/peers.sh"); err != nil && s.short {
					fmt.Fprintf(os.Stderr, "without peers, which this machine cannot get: %v\n", err)
					s.servers = slices.DeleteFunc(s.servers, func(n string) bool { return slices.Contains(peerNames, n) })
					return s.programs(ctx, folder)
				} else if err != nil {
					return nil, nil, err
				}
			}
			p := server.Program{Name: name, Path: filepath.Join(peers, name+"-server")}
			said, err := output(ctx, "", p.Path, "--version")
			if err != nil {
				return nil, nil, err
			}
			programs = append(programs, p)
			versions = append(versions, strings.ToUpper(name[:1])+name[1:]+" "+regexp.MustCompile(`v=(\S+)`).FindStringSubmatch(said + " v=?")[1])
		}
	}
	return programs, versions, nil
}

// output is what a command prints, without the last newline.
func output(ctx context.Context, dir, name string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	if dir != "" {
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	}
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}
