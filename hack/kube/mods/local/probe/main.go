// Command probe is the workload of check.sh and, by subcommand, the client that
// `kubectl exec` runs in the same FROM-scratch image.
//
//	probe serve          answer HTTP on :8080 with the host's name and the client's address; note each start in /data/starts
//	probe get URL        print the body, or fail
//	probe lookup NAME    print the addresses a name resolves to
//	probe cat FILE       print a file
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

const patience = 5 * time.Second

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "serve":
		return serve()
	case len(args) == 2 && args[0] == "get":
		client := http.Client{Timeout: patience}
		r, err := client.Get(args[1])
		if err != nil {
			return err
		}
		defer r.Body.Close()
		if r.StatusCode != http.StatusOK {
			return errors.New(r.Status)
		}
		_, err = io.Copy(os.Stdout, io.LimitReader(r.Body, 1<<20))
		return err
	case len(args) == 2 && args[0] == "lookup":
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		addresses, err := net.DefaultResolver.LookupHost(ctx, args[1])
		fmt.Println(strings.Join(addresses, " "))
		return err
	case len(args) == 2 && args[0] == "cat":
		f, err := os.Open(args[1])
		if err != nil {
			return err
		}
		defer f.Close()
		_, err = io.Copy(os.Stdout, f)
		return err
	}
	return errors.New("usage: probe serve | get URL | lookup NAME | cat FILE")
}

func serve() error {
	host, err := os.Hostname()
	if err != nil {
		return err
	}
	starts, err := os.OpenFile("/data/starts", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	fmt.Fprintln(starts, host)
	if err := starts.Close(); err != nil {
		return err
	}
	fmt.Println("probe on", host)
	http.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s seen from %s\n", host, r.RemoteAddr)
	})
	failed := make(chan error, 1)
	go func() { failed <- http.ListenAndServe(":8080", nil) }() // ends with the process
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	select {
	case err := <-failed:
		return err
	case <-stop:
		return nil
	}
}
