package clients

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The page for users names the versions of the clients that are run.
func TestVersionsOnThePage(t *testing.T) {
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	var npm struct{ Dependencies map[string]string }
	if err := json.Unmarshal([]byte(read("node/package.json")), &npm); err != nil {
		t.Fatal(err)
	}
	module := func(path string) string {
		found := regexp.MustCompile(regexp.QuoteMeta(path) + ` v(\S+)`).FindStringSubmatch(read("../../go.mod"))
		if found == nil {
			t.Fatalf("go.mod lacks %s", path)
		}
		return found[1]
	}
	const page = "../../docs/compatibility.md"
	text := read(page)
	for client, version := range map[string]string{
		"go-redis": module("github.com/redis/go-redis/v9"), "rueidis": module("github.com/redis/rueidis"),
		"node-redis": npm.Dependencies["redis"], "ioredis": npm.Dependencies["ioredis"],
	} {
		if row := "| " + client + " | " + version + " |"; !strings.Contains(text, row) {
			t.Errorf("%s lacks the row %q", page, row)
		}
	}
}
