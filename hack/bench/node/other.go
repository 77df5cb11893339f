//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "node: this benchmark needs Linux, which keeps processes on CPUs and tells what they use")
	os.Exit(1)
}
