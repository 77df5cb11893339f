// Command node is a server of sorted sets that speaks RESP, so that any Redis
// or Valkey client can use it.
//
//	node [node.conf] [--directive value ...]
//
// node --help lists every directive. It stops on SIGTERM or SIGINT once the
// commands that have arrived are answered; a second signal ends it at once.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"zset.dev/operator/node"
	"zset.dev/operator/node/config"
)

// version is set at build time: -ldflags "-X main.version=v1.2.3".
var version = "dev"

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program: 0 after a clean stop, 1 when it could not run, 2 when
// its arguments are wrong.
func run(args []string, stdout, stderr io.Writer) int {
	settings, err := config.FromArgs(args)
	switch {
	case errors.Is(err, config.ErrHelp):
		fmt.Fprint(stdout, config.Help())
		return 0
	case errors.Is(err, config.ErrVersion):
		fmt.Fprintln(stdout, "node", version)
		return 0
	case err != nil:
		fmt.Fprintln(stderr, "node:", err)
		return 2
	}
	if err := serve(settings, configFile(args), stdout); err != nil {
		fmt.Fprintln(stderr, "node:", err)
		return 1
	}
	return 0
}

// configFile is the file among the arguments, empty when there is none.
func configFile(args []string) string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") {
		return ""
	}
	path, err := filepath.Abs(args[0])
	if err != nil {
		return args[0]
	}
	return path
}

func serve(settings *config.Config, file string, stdout io.Writer) error {
	log, logFile, err := node.NewLogger(settings, stdout)
	if err != nil {
		return err
	}
	defer logFile.Close()
	memory := node.LimitMemory()
	shard, err := joinShard(&settings.Values().Shard)
	if err != nil {
		return err
	}
	server, err := node.New(node.Options{Config: settings, Version: version, ConfigFile: file, Log: log, SoftLimit: memory, Shard: shard})
	if err != nil {
		return err
	}
	// Signals are caught before the port opens: whoever waits for it may send
	// one at once.
	ctx, restore := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	context.AfterFunc(ctx, restore) // so that the next signal ends the process
	if err := server.Start(); err != nil {
		return err
	}
	shown := func(a net.Addr) string {
		if a == nil {
			return "off"
		}
		return a.String()
	}
	log.Info("ready to accept connections", "version", version, "address", shown(server.Addr()), "http", shown(server.HTTPAddr()), "pid", os.Getpid(), "memory_limit", memory, "tls", shown(server.TLSAddr()))
	return server.Run(ctx)
}
