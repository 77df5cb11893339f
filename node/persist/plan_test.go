package persist

import (
	"testing"
	"time"

	"zset.dev/operator/node/config"
)

func TestPlan(t *testing.T) {
	begin := time.Unix(1_700_000_000, 0)
	points := []config.SavePoint{{After: time.Hour, Changes: 1}, {After: time.Minute, Changes: 100}}
	calm := situation{
		values: &config.Values{Save: points, AutoRewritePercent: 100, AutoRewriteMinSize: 1000},
		now:    begin, lastSave: begin, lastTry: begin, rewriteTry: begin, saveOK: true, rewriteOK: true, appending: true, size: 500, base: 100,
	}
	for _, tt := range []struct {
		name          string
		change        func(*situation)
		save, rewrite bool
	}{
		{"nothing is to be done", func(*situation) {}, false, false},
		{"many changes, but too soon", func(s *situation) { s.changes = 1000; s.now = begin.Add(59 * time.Second) }, false, false},
		{"many changes", func(s *situation) { s.changes = 100; s.now = begin.Add(time.Minute) }, true, false},
		{"a change, for long", func(s *situation) { s.changes = 1; s.now = begin.Add(time.Hour) }, true, false},
		{"no change, for long", func(s *situation) { s.now = begin.Add(24 * time.Hour) }, false, false},
		{"a save failed just now", func(s *situation) {
			s.changes, s.saveOK, s.now = 100, false, begin.Add(time.Minute)
			s.lastTry = s.now.Add(-time.Second)
		}, false, false},
		{"a save failed a while ago", func(s *situation) { s.changes, s.saveOK, s.now = 100, false, begin.Add(time.Minute) }, true, false},
		{"the files have doubled", func(s *situation) { s.size, s.base = 2000, 1000 }, false, true},
		{"they have not", func(s *situation) { s.size, s.base = 1999, 1000 }, false, false},
		{"they are small", func(s *situation) { s.size, s.base = 999, 10 }, false, false},
		{"never", func(s *situation) { s.size = 1 << 30; v := *s.values; v.AutoRewritePercent = 0; s.values = &v }, false, false},
		{"nothing is appended", func(s *situation) { s.size, s.appending = 1<<30, false }, false, false},
		{"a rewrite failed just now", func(s *situation) { s.size, s.rewriteOK = 1<<30, false }, false, false},
		{"a rewrite failed a while ago", func(s *situation) { s.size, s.rewriteOK, s.now = 1<<30, false, begin.Add(tryAgain) }, false, true},
		{"somebody asked for both", func(s *situation) { s.saveWanted, s.rewriteWanted = true, true }, false, true},
		{"somebody asked for a save", func(s *situation) { s.saveWanted = true }, true, false},
	} {
		s := calm
		tt.change(&s)
		if save, rewrite := s.next(); save != tt.save || rewrite != tt.rewrite {
			t.Errorf("%s: save %v, rewrite %v", tt.name, save, rewrite)
		}
	}
}
