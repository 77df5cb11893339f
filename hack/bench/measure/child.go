package measure

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
)

// childEnv carries the request to a child process, which is this program again.
const childEnv = "ZSET_BENCH_REQUEST"

// Child serves the request that this process was started for, and does not return; in any other process it does
// nothing. Call it first in main.
func Child[Request, Result any](serve func(Request) (Result, error)) {
	text, ok := os.LookupEnv(childEnv)
	if !ok {
		return
	}
	if err := answer(text, serve); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func answer[Request, Result any](text string, serve func(Request) (Result, error)) error {
	var request Request
	if err := json.Unmarshal([]byte(text), &request); err != nil {
		return fmt.Errorf("reading the request: %w", err)
	}
	result, err := serve(request)
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(result)
}

// Ask starts a child process for a request and waits for its result. A child's errors go to this process's
// standard error.
func Ask[Result, Request any](request Request) (result Result, err error) {
	text, err := json.Marshal(request)
	if err != nil {
		return result, fmt.Errorf("writing the request: %w", err)
	}
	self, err := os.Executable()
	if err != nil {
		return result, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return result, fmt.Errorf("measuring %s: %w", text, err)
	}
	if err := json.NewDecoder(bytes.NewReader(out)).Decode(&result); err != nil {
		return result, fmt.Errorf("measuring %s: reading the result: %w", text, err)
	}
	return result, nil
}
