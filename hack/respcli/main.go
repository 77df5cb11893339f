// Respcli is a small RESP client for use inside a cluster: `make run` plays its demo session with it and the end-to-end
// tests drive a ZSetCluster through its Service. It prints replies the way redis-cli does.
//
//	respcli [-addr HOST:PORT] [-3] COMMAND [ARG ...]   run one command
//	respcli [-addr HOST:PORT] [-3] [-echo] <FILE       run one command a line
//	respcli -wait                                      do nothing until SIGTERM: a pod to exec into
package main

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/redis/go-redis/v9"
)

var version = "dev"

func main() {
	addr := flag.String("addr", "127.0.0.1:6379", "`host:port` to connect to")
	resp3 := flag.Bool("3", false, "speak RESP3 (default RESP2)")
	echo := flag.Bool("echo", false, "print each command before its reply")
	wait := flag.Bool("wait", false, "do nothing until SIGTERM")
	timeout := flag.Duration("timeout", 5*time.Second, "bound on connecting and on each reply")
	showVersion := flag.Bool("version", false, "print the version")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	switch {
	case *showVersion:
		fmt.Println("respcli", version)
		return
	case *wait:
		<-ctx.Done()
		return
	}

	protocol := 2
	if *resp3 {
		protocol = 3
	}
	client := redis.NewClient(&redis.Options{
		Addr: *addr, Protocol: protocol, MaxRetries: -1, PoolSize: 1,
		DialTimeout: *timeout, ReadTimeout: *timeout, WriteTimeout: *timeout,
	})
	defer client.Close()

	run := func(args []string) error {
		if *echo {
			fmt.Printf("%s> %s\n", *addr, strings.Join(args, " "))
		}
		return runCommand(ctx, client, os.Stdout, args)
	}
	if flag.NArg() > 0 {
		if err := run(flag.Args()); err != nil {
			os.Exit(1)
		}
		return
	}
	failed := false
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		// Arguments are split at white space; this client has no quoting in a file.
		if args := strings.Fields(lines.Text()); len(args) > 0 {
			failed = run(args) != nil || failed
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, "respcli: reading commands:", err)
		failed = true
	}
	if failed {
		os.Exit(1)
	}
}

// runCommand sends one command and prints its reply, or its error, to out.
func runCommand(ctx context.Context, client *redis.Client, out io.Writer, args []string) error {
	words := make([]any, len(args))
	for i, a := range args {
		words[i] = a
	}
	reply, err := client.Do(ctx, words...).Result()
	if err != nil && !errors.Is(err, redis.Nil) {
		fmt.Fprintln(out, "(error)", err)
		return err
	}
	printReply(out, reply, "")
	return nil
}

// printReply writes a decoded reply; indent is put before each line but the first, whose place the caller has prepared.
func printReply(out io.Writer, reply any, indent string) {
	switch r := reply.(type) {
	case nil:
		fmt.Fprintln(out, "(nil)")
	case int64:
		fmt.Fprintf(out, "(integer) %d\n", r)
	case float64:
		fmt.Fprintf(out, "(double) %s\n", strconv.FormatFloat(r, 'g', -1, 64))
	case string:
		fmt.Fprintln(out, r)
	case []any:
		if len(r) == 0 {
			fmt.Fprintln(out, "(empty array)")
		}
		for i, element := range r {
			if i > 0 {
				fmt.Fprint(out, indent)
			}
			label := fmt.Sprintf("%d) ", i+1)
			fmt.Fprint(out, label)
			printReply(out, element, indent+strings.Repeat(" ", len(label)))
		}
	case map[any]any:
		first := true
		for key, value := range r {
			if !first {
				fmt.Fprint(out, indent)
			}
			first = false
			label := fmt.Sprintf("%v => ", key)
			fmt.Fprint(out, label)
			printReply(out, value, indent+strings.Repeat(" ", len(label)))
		}
	default:
		fmt.Fprintf(out, "%v\n", r)
	}
}
