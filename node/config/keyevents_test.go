package config

import "testing"

// What real servers answer to CONFIG GET after CONFIG SET. They lose n beside
// A; here it stays, so what is read can be set again.
func TestKeyEvents(t *testing.T) {
	for given, want := range map[string]string{
		"": "", "KEA": "AKE", "EKA": "AKE", "KExn": "xnKE", "Kgzxen": "gzxenK", "Ezgxe": "gzxeE", "g$lshzxetd": "A", "gz": "gz", "K": "K",
		"KEAm": "AKEm", "KEAmn": "AnKEm",
	} {
		c, err := FromArgs(nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{given, want} {
			if err := c.Set("notify-keyspace-events", text); err != nil {
				t.Errorf("%q: %v", text, err)
			}
			if got := c.Get("notify-keyspace-events")[0].Value; got != want {
				t.Errorf("%q reads %q, want %q", text, got, want)
			}
		}
		err = c.Set("notify-keyspace-events", given+"q")
		if err == nil || err.Error() != "ERR CONFIG SET failed (possibly related to argument 'notify-keyspace-events') - Invalid event class character. Use 'Ag$lshzxeKEtmdn'." {
			t.Errorf("%qq: %v", given, err)
		}
	}
	if e, _ := parseKeyEvents("gz"); e.Publishes(EventZSet) {
		t.Error("events are published nowhere, and are")
	}
	if e, _ := parseKeyEvents("Kz"); !e.Publishes(EventZSet) || e.Publishes(EventGeneric) {
		t.Error("Kz publishes the wrong classes")
	}
}
