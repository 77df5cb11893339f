package telemetry

import (
	"strings"
	"testing"
	"time"
)

func testFacts() Facts {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	return Facts{Version: "v1", ServerVersion: "7.2.4", RunID: strings.Repeat("a", 40), Started: at, Now: at.Add(90 * time.Second), Used: 3 << 20, Dataset: 1 << 20,
		Stats: NewStats([]string{"ping", "client|list"})}
}

func titles(text string) (all []string) {
	for line := range strings.SplitSeq(text, "\r\n") {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			all = append(all, title)
		}
	}
	return all
}

func TestInfoSections(t *testing.T) {
	const usual = "Server Clients Memory Persistence Stats Replication Shard CPU Modules Errorstats Cluster Keyspace"
	const all = "Server Clients Memory Persistence Stats Replication Shard CPU Modules Commandstats Errorstats Latencystats Cluster TLS Keyspace"
	for _, c := range []struct{ names, want string }{
		{"", usual}, {"default", usual}, {"all", all}, {"everything", all}, {"ALL", all},
		{"memory", "Memory"}, {"keyspace CPU", "CPU Keyspace"}, {"nosuch", ""}, {"nosuch memory", "Memory"}, {"commandstats latencystats tls default", all},
	} {
		f := testFacts()
		var text strings.Builder
		WriteInfo(&text, &f, strings.Fields(c.names)...)
		if got := strings.Join(titles(text.String()), " "); got != c.want {
			t.Errorf("INFO %s: %q, want %q", c.names, got, c.want)
		}
	}
}

// Tools read a section into a map: a field must be there once.
func TestInfoFieldsAreOfTheirOwn(t *testing.T) {
	f := testFacts()
	var text strings.Builder
	WriteInfo(&text, &f, "everything")
	seen := map[string]bool{}
	for line := range strings.SplitSeq(text.String(), "\r\n") {
		if name, _, ok := strings.Cut(line, ":"); ok {
			if seen[name] {
				t.Errorf("%s is there twice", name)
			}
			seen[name] = true
		}
	}
	for section, fields := range foreign {
		if !strings.Contains(text.String(), "# "+section+"\r\n") {
			t.Errorf("there is no section %s", section)
		}
		for _, field := range fields {
			if !seen[field.name] {
				t.Errorf("lacks %s", field.name)
			}
		}
	}
}

func TestInfoLines(t *testing.T) {
	f := testFacts()
	ping := f.Stats.Command(0)
	ping.Calls.Add(4)
	ping.Nanos.Add(10_000)
	f.Stats.Command(1).Rejected.Add(1)
	f.Stats.Error([]byte("ERR syntax error"), false)
	f.Stats.Error([]byte("ERR"), false)
	f.Stats.Error([]byte("NOAUTH Authentication required.\r\n"), false)
	var text strings.Builder
	WriteInfo(&text, &f, "all")
	for _, line := range []string{
		"uptime_in_seconds:90", "used_memory:3145728", "used_memory_human:3.00M", "used_memory_dataset_perc:33.33%",
		"cmdstat_ping:calls=4,usec=10,usec_per_call=2.50,rejected_calls=0,failed_calls=0",
		"cmdstat_client|list:calls=0,usec=0,usec_per_call=0.00,rejected_calls=1,failed_calls=0",
		"errorstat_ERR:count=2", "errorstat_NOAUTH:count=1", "total_error_replies:3",
	} {
		if !strings.Contains(text.String(), "\r\n"+line+"\r\n") {
			t.Errorf("lacks %q", line)
		}
	}
	f.Stats.Reset(0, 0)
	if len(f.Stats.Errors()) != 0 || ping.Calls.Load() != 0 {
		t.Error("Reset left counts")
	}
}

func TestErrorCodesAreBounded(t *testing.T) {
	s := NewStats(nil)
	const more = 9 * errorKinds
	for i := range errorKinds + more {
		s.Error([]byte(strings.Repeat("X", i)), true)
	}
	s.Error([]byte("X"), true)
	s.Error([]byte("ERR of the node's own"), false)
	counts := map[string]int64{}
	for _, e := range s.Errors() {
		counts[e.Code] = e.Count
	}
	if len(counts) != errorKinds+2 || counts["X"] != 2 || counts["ERR"] != 1 || counts[errorOverflow] != more {
		t.Errorf("keeps %d codes, of X %d, of ERR %d, beyond %d; want %d, 2, 1, %d",
			len(counts), counts["X"], counts["ERR"], counts[errorOverflow], errorKinds+2, more)
	}
}

func TestHuman(t *testing.T) {
	for n, want := range map[int64]string{0: "0B", 1023: "1023B", 1024: "1.00K", 1536: "1.50K", 5 << 20: "5.00M", 3 << 30: "3.00G", 1 << 50: "1.00P"} {
		if got := human(n); got != want {
			t.Errorf("human(%d) = %s, want %s", n, got, want)
		}
	}
}

func TestRates(t *testing.T) {
	s := NewStats(nil)
	at := time.Unix(0, 0)
	for range 17 {
		s.Tick(at)
		at = at.Add(100 * time.Millisecond)
		s.CommandsProcessed.Add(50)
		s.BytesIn.Add(1000)
	}
	if ops, in, out := s.Rates(); ops < 499 || ops > 501 || in < 9990 || in > 10010 || out != 0 {
		t.Errorf("rates are %v, %v, %v; want 500, 10000, 0", ops, in, out)
	}
}

func TestProcessFacts(t *testing.T) {
	var f Facts
	f.ReadProcess()
	if f.HeapInUse <= 0 || f.UserCPU+f.SystemCPU <= 0 {
		t.Errorf("read %+v", f)
	}
}
