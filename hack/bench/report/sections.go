package report

import (
	"fmt"
	"os"
	"strings"
)

// ReplaceSection puts body between a document's markers "<!-- begin NAME -->" and "<!-- end NAME -->", which
// must be there: the rest of the document is for people to write.
func ReplaceSection(path, name, body string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	changed, err := replaceSection(string(text), name, body)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return os.WriteFile(path, []byte(changed), 0o644)
}

func replaceSection(text, name, body string) (string, error) {
	begin, end := "<!-- begin "+name+" -->", "<!-- end "+name+" -->"
	before, rest, ok := strings.Cut(text, begin)
	if !ok {
		return "", fmt.Errorf("no marker %q", begin)
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", fmt.Errorf("no marker %q after %q", end, begin)
	}
	return before + begin + "\n\n" + strings.TrimSpace(body) + "\n\n" + end + after, nil
}
