package config

import "strings"

// KeyEvents is which events about keys are published, and how: the value of
// notify-keyspace-events.
type KeyEvents uint16

// The classes of events, and the two ways to publish one. Classes of data
// types this node does not have are kept and cause nothing.
const (
	EventGeneric  KeyEvents = 1 << iota // g: any command for keys of every type
	EventZSet                           // z: commands for sorted sets
	EventExpired                        // x: a key's time has come
	EventEvicted                        // e: a key was removed to free memory
	EventNew                            // n: a key came into being
	EventMiss                           // m: a key that was read is missing
	eventString                         // $
	eventList                           // l
	eventSet                            // s
	eventHash                           // h
	eventStream                         // t
	eventModule                         // d
	KeyspaceEvent                       // K: to __keyspace@0__:<key>, the event's name
	KeyeventEvent                       // E: to __keyevent@0__:<event>, the key

	eventAll = EventGeneric | EventZSet | EventExpired | EventEvicted | eventString | eventList | eventSet | eventHash | eventStream | eventModule
)

// eventLetters are in the order of the canonical text.
var eventLetters = []struct {
	letter byte
	class  KeyEvents
}{
	{'g', EventGeneric}, {'$', eventString}, {'l', eventList}, {'s', eventSet}, {'h', eventHash}, {'z', EventZSet},
	{'x', EventExpired}, {'e', EventEvicted}, {'t', eventStream}, {'d', eventModule},
	{'n', EventNew}, {'K', KeyspaceEvent}, {'E', KeyeventEvent}, {'m', EventMiss},
}

// Publishes reports whether events of that class are published at all.
func (e KeyEvents) Publishes(class KeyEvents) bool {
	return e&class != 0 && e&(KeyspaceEvent|KeyeventEvent) != 0
}

// String is the letters in their canonical order, A for all it stands for.
func (e KeyEvents) String() string {
	var text strings.Builder
	if e&eventAll == eventAll {
		text.WriteByte('A')
		e &^= eventAll
	}
	for _, l := range eventLetters {
		if e&l.class != 0 {
			text.WriteByte(l.letter)
		}
	}
	return text.String()
}

// parseKeyEvents reads letters; false when one is none.
func parseKeyEvents(text string) (e KeyEvents, ok bool) {
letters:
	for i := range len(text) {
		if text[i] == 'A' {
			e |= eventAll
			continue
		}
		for _, l := range eventLetters {
			if l.letter == text[i] {
				e |= l.class
				continue letters
			}
		}
		return 0, false
	}
	return e, true
}

var keyEvents = kind{
	allowed: "any of K E A g z x e n m; empty = none",
	set: func(v *Values, values []string, _ machine) error {
		events, ok := parseKeyEvents(values[0])
		if !ok {
			return selfContained("Invalid event class character. Use 'Ag$lshzxeKEtmdn'.")
		}
		v.NotifyKeyspaceEvents = events
		return nil
	},
	get: func(v *Values) string { return v.NotifyKeyspaceEvents.String() },
}
