package replog

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/tidwall/redcon"
)

// text is commands as they stand in a file.
func text(commands ...string) string {
	var all []byte
	for _, c := range commands {
		words := strings.Fields(c)
		all = redcon.AppendArray(all, len(words))
		for _, w := range words {
			all = redcon.AppendBulkString(all, w)
		}
	}
	return string(all)
}

// read is the commands of a file, and why there are no more.
func read(r io.Reader) (commands []string, whole int64, err error) {
	c := NewCommands(r, 0)
	for {
		args, err := c.Next()
		if err != nil {
			return commands, c.Whole(), err
		}
		commands = append(commands, string(bytes.Join(args, []byte(" "))))
	}
}

// What a command is read from can be appended to another log as it stands, and asking whether there is more changes nothing.
func TestRawCommands(t *testing.T) {
	want := text("SELECT 0", "ZADD board 1 a 2 b", "DEL board", "ZADD board 1 "+strings.Repeat("m", 300<<10), "PING")
	file := strings.Replace(want, "*2\r\n$3\r\nDEL", "#TS:1700000000\r\n*2\r\n$3\r\nDEL", 1)
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(file), "bytewise": iotest.OneByteReader(strings.NewReader(file)),
	} {
		var got []byte
		c := NewCommands(r, 0)
		atOnce := 0
		for {
			args, err := c.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(name, err)
			}
			if again := text(string(bytes.Join(args, []byte(" ")))); again != string(c.Raw()) {
				t.Errorf("%s: %.60q was read from %.60q", name, again, c.Raw())
			}
			got = append(got, c.Raw()...)
			if c.More() {
				atOnce++
			}
		}
		if string(got) != want || c.Whole() != int64(len(file)) {
			t.Errorf("%s: %d bytes up to %d, want %d", name, len(got), c.Whole(), len(want))
		}
		if (name == "whole") != (atOnce > 0) {
			t.Errorf("%s: %d commands were there at once", name, atOnce)
		}
	}
}

func TestCommands(t *testing.T) {
	want := []string{"SELECT 0", "ZADD board 1 a 2 b", "DEL board"}
	file := "#TS:1700000000\r\n" + text(want[:2]...) + "#TS:1700000001\r\n" + text(want[2])
	for name, r := range map[string]io.Reader{
		"whole": strings.NewReader(file), "bytewise": iotest.OneByteReader(strings.NewReader(file)),
	} {
		got, whole, err := read(r)
		if err != io.EOF || whole != int64(len(file)) || !slices.Equal(got, want) {
			t.Errorf("%s: %q up to %d, %v", name, got, whole, err)
		}
	}
}

// Wherever a file ends, the commands before are read, and the end is known to be torn.
func TestTornAnywhere(t *testing.T) {
	commands := []string{"ZADD board 1 a", "ZREM board a", "PEXPIREAT board 1700000000000"}
	file := text(commands...)
	ends := []int64{0}
	for i := range commands {
		ends = append(ends, int64(len(text(commands[:i+1]...))))
	}
	for n := range len(file) {
		got, whole, err := read(strings.NewReader(file[:n]))
		i, exact := slices.BinarySearch(ends, int64(n))
		if !exact {
			i--
		}
		wantErr := ErrTorn
		if exact {
			wantErr = io.EOF
		}
		if !errors.Is(err, wantErr) || whole != ends[i] || !slices.Equal(got, commands[:i]) {
			t.Fatalf("%d bytes: %q up to %d, %v", n, got, whole, err)
		}
	}
}

func TestCorruptCommands(t *testing.T) {
	first := text("PING x")
	for _, rest := range []string{
		"x\r\n", "*0\r\n", "*-1\r\n", "*+1\r\n", "*1\n", "*1\r\n:1\r\n", "*1\r\n$-1\r\n", "*1\r\n$1\r\nab\r\n", "*9999999\r\n", "\x00\x00\r\n",
		"*1\r\n$9999999999\r\n", strings.Repeat("z", 300<<10),
	} {
		got, whole, err := read(strings.NewReader(first + rest))
		var corrupt *CorruptError
		if !errors.As(err, &corrupt) || corrupt.Offset != int64(len(first)) || whole != corrupt.Offset || len(got) != 1 {
			t.Errorf("%.40q: %q up to %d, %v", rest, got, whole, err)
		}
	}
}

func TestClaimsCostNothing(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, claim := range []string{"*1\r\n$1000000000\r\nabc", "*1000000\r\n$1\r\na\r\n"} {
		if _, _, err := read(strings.NewReader(claim)); !errors.Is(err, ErrTorn) {
			t.Errorf("%q: %v", claim, err)
		}
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 4<<20 {
		t.Errorf("took %d bytes", took)
	}
}

func FuzzCommands(f *testing.F) {
	f.Add([]byte(text("ZADD board 1 a", "DEL x")))
	f.Add([]byte("#TS:1\r\n*1\r\n$0\r\n\r\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		got, whole, err := read(bytes.NewReader(file))
		half, again, other := read(iotest.HalfReader(bytes.NewReader(file)))
		if !slices.Equal(got, half) || whole != again || err.Error() != other.Error() {
			t.Fatalf("%q up to %d, %v\n%q up to %d, %v", got, whole, err, half, again, other)
		}
		if upTo, at, _ := read(bytes.NewReader(file[:whole])); at != whole || !slices.Equal(got, upTo) {
			t.Fatalf("cut at %d it reads as %q up to %d", whole, upTo, at)
		}
	})
}
