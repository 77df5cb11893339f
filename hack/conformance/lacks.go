package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"
)

// otherTypeReply is in the node's answer to a command of another data type.
const otherTypeReply = "this server holds sorted sets only"

// lacks knows which commands the node does not have. What a test sent tells
// more than the replies it read: a client that blocks does not read its own.
type lacks struct {
	port    int
	has     map[string]bool
	answers map[string]string // to the commands it does not have
}

// learn asks the server on port for its commands. When it cannot list them, all
// count as there.
func learn(port int) *lacks {
	l := &lacks{port: port, answers: map[string]string{}}
	ctx, cancel := context.WithTimeout(context.Background(), startLimit)
	defer cancel()
	client := redis.NewClient(&redis.Options{Addr: fmt.Sprintf("127.0.0.1:%d", port), DialTimeout: time.Second})
	defer client.Close()
	names, err := client.Do(ctx, "command", "list").StringSlice()
	if err != nil || len(names) == 0 {
		return l
	}
	l.has = map[string]bool{}
	for _, n := range names {
		l.has[n] = true
	}
	return l
}

// of adds to the commands a test saw refused for their type and as unknown
// those it sent that the server would so refuse.
func (l *lacks) of(refused, unknown, sent []string) ([]string, []string) {
	for _, name := range sent {
		if l.has == nil || l.has[name] || name == "" || strings.ContainsAny(name, " \r\n\"'(") {
			continue
		}
		answer, known := l.answers[name]
		if !known {
			answer = ask(l.port, name)
			l.answers[name] = answer
		}
		switch {
		case strings.Contains(answer, otherTypeReply):
			if !slices.Contains(refused, name) {
				refused = append(refused, name)
			}
		case strings.Contains(answer, "unknown command"):
			if !slices.Contains(unknown, name) {
				unknown = append(unknown, name)
			}
		}
	}
	return refused, unknown
}
