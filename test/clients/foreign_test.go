//go:build clients

package clients

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

func TestNodeRedis(t *testing.T) { javaScript(t, "node-redis") }
func TestIORedis(t *testing.T)   { javaScript(t, "ioredis") }

func javaScript(t *testing.T, name string) {
	dir := os.Getenv("ZSET_NODE_DIR")
	if _, err := os.Stat(filepath.Join(dir, "node_modules")); dir == "" || err != nil {
		table.put(name, "connect", "no npm", "")
		t.Skip("no Node.js clients: run test/clients/run.sh on a machine with npm")
	}
	foreign(t, name, dir, "node", name+".js", address(t))
}

func TestRedisPy(t *testing.T) {
	dir := os.Getenv("ZSET_PYTHON_DIR")
	if dir == "" {
		table.put("redis-py", "connect", "no package", "")
		t.Skip("no redis-py: run test/clients/run.sh on a Debian with python3")
	}
	t.Setenv("PYTHONPATH", dir)
	foreign(t, "redis-py", "python", "python3", "session.py", address(t))
}

// foreign runs the session of a client of another language, which prints a
// line of JSON for each step.
func foreign(t *testing.T, name, dir string, command ...string) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	steps := map[string]error{}
	for line := range bytes.Lines(out) {
		var got struct{ Feature, Error string }
		if json.Unmarshal(line, &got) != nil {
			t.Errorf("%s printed %q", name, line)
			continue
		}
		steps[got.Feature] = nil
		if got.Error != "" {
			steps[got.Feature] = errors.New(got.Error)
		}
	}
	for _, f := range features {
		step(t, name, f, func() error {
			err, did := steps[f]
			if !did {
				return errors.New("the session ended before this step")
			}
			return err
		})
	}
}
