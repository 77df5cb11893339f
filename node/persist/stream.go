package persist

import (
	"fmt"
	"strconv"
	"strings"

	"zset.dev/operator/node/replog"
)

// A Stream is what the node is in replication, as package replication has it: the log, and what its bytes are named.
type Stream interface {
	// Open makes sure that there is a log with all that changes from then on, until Close.
	Open() *replog.Log
	Close()
	// Borrow is Open for a while, until giveBack.
	Borrow() (giveBack func())
	// Named is the log, nil while nobody has opened it, and its history at the same moment.
	Named() (replog.History, *replog.Log)
	LogEpoch() int64 // of whose log it is
	// EpochAt is the epoch of who wrote the byte before that offset; EpochIn is that from a command of the log on, if it says so.
	EpochAt(offset int64) int64
	EpochIn(args [][]byte) (epoch int64, ok bool)
	// Whole is whether the data is what the log says, and not part of what a primary sends.
	Whole() bool
	// Frozen runs f, during which nothing is done again that cannot be done twice, and the log stays the same.
	Frozen(f func())
	Confirmations() *replog.Confirmations
}

// A Place is how far what a file has goes, in whose history.
type Place struct {
	History replog.History
	Offset  int64 // of the next byte; 0 when the file does not say
	Epoch   int64 // of the primary whose log it is
	At      int64 // of the last byte before Offset: less as long as nothing of Epoch has come. Not said when it is the same
}

// mark is what an annotation of ours begins with, a line that servers skip:
//
//	#zset offset=4711 id=… previous=… until=… epoch=3 at=2
//
// What follows in the file are the bytes of the log from that offset on. Each file of commands begins with one, and another
// stands where the history has another name from.
const mark = "#zset "

// annotation is the line that says where the file is in the log.
func (p Place) annotation() string {
	text := fmt.Sprintf("%soffset=%d id=%s", mark, p.Offset, p.History.ID)
	if p.History.Previous != "" {
		text += fmt.Sprintf(" previous=%s until=%d", p.History.Previous, p.History.Until)
	}
	text += fmt.Sprintf(" epoch=%d", p.Epoch)
	if p.At != p.Epoch {
		text += fmt.Sprintf(" at=%d", p.At)
	}
	return text + "\r\n"
}

// parseAnnotation reads a line. It is ours if ok.
func parseAnnotation(line string) (p Place, ok bool) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(line), mark)
	if !ok {
		return Place{}, false
	}
	for _, word := range strings.Fields(rest) {
		name, value, _ := strings.Cut(word, "=")
		p.set(name, value)
	}
	return p, p.Offset > 0 && p.History.ID != ""
}

func (p *Place) set(name, value string) {
	number, _ := strconv.ParseInt(value, 10, 64)
	switch name {
	case "offset":
		p.Offset = number
	case "id":
		p.History.ID = value
	case "previous":
		p.History.Previous = value
	case "until":
		p.History.Until = number
	case "epoch":
		p.Epoch, p.At = number, number
	case "at":
		p.At = number
	}
}

// The names under which a file of keys says its place. Those that real servers use mean the same there, but that the offset is
// the last byte's.
const (
	auxID       = "repl-id"
	auxOffset   = "repl-offset"
	auxPrevious = "zset-previous-id"
	auxUntil    = "zset-previous-until"
	auxEpoch    = "zset-epoch"
	auxAt       = "zset-epoch-at"
)

// aux is the place for the beginning of a file of keys.
func (p Place) aux() [][2]string {
	words := [][2]string{{auxID, p.History.ID}, {auxOffset, strconv.FormatInt(p.Offset-1, 10)}, {auxEpoch, strconv.FormatInt(p.Epoch, 10)}}
	if p.At != p.Epoch {
		words = append(words, [2]string{auxAt, strconv.FormatInt(p.At, 10)})
	}
	if p.History.Previous != "" {
		words = append(words, [2]string{auxPrevious, p.History.Previous}, [2]string{auxUntil, strconv.FormatInt(p.History.Until, 10)})
	}
	return words
}

// readAux takes in a name and value from the beginning of a file of keys.
func (p *Place) readAux(name, value string) {
	switch name {
	case auxID:
		p.set("id", value)
	case auxOffset:
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && n >= 0 {
			p.Offset = n + 1
		}
	case auxPrevious:
		p.set("previous", value)
	case auxUntil:
		p.set("until", value)
	case auxEpoch:
		p.set("epoch", value)
	case auxAt:
		p.set("at", value)
	}
}
