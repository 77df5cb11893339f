package telemetry

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Following is what a replica tells of its primary.
type Following struct {
	Host          string
	Port          int
	Up            bool
	Reason        string    // why it is not up; empty when that is not known
	Heard         time.Time // when something last came; zero when never
	DownSince     time.Time // while it is not up
	Transfer      bool      // all data come in
	Arrived, Size int64     // of how many bytes; 0 when that is not known
	Offset        int64     // of the last byte applied
	Skipped       int64     // commands and keys left out, ever
	Priority      int
	ReadOnly      bool
	Announced     bool
}

// writeFollowing writes what INFO tells of the primary.
func writeFollowing(w io.Writer, f *Facts) {
	p := f.Following
	status, transfer := "down", 0
	if p.Up {
		status = "up"
	}
	if p.Transfer {
		transfer = 1
	}
	ago := func(t time.Time) int64 {
		if t.IsZero() {
			return -1
		}
		return max(0, int64(f.Now.Sub(t).Seconds()))
	}
	line(w, "role", "slave")
	line(w, "master_host", p.Host)
	line(w, "master_port", p.Port)
	line(w, "master_link_status", status)
	line(w, "master_last_io_seconds_ago", ago(p.Heard))
	line(w, "master_sync_in_progress", transfer)
	line(w, "slave_read_repl_offset", p.Offset)
	line(w, "slave_repl_offset", p.Offset)
	if p.Transfer {
		line(w, "master_sync_total_bytes", p.Size)
		line(w, "master_sync_read_bytes", p.Arrived)
		line(w, "master_sync_left_bytes", max(0, p.Size-p.Arrived))
		line(w, "master_sync_perc", fmt.Sprintf("%.2f", 100*ratio(p.Arrived, p.Size)))
		line(w, "master_sync_last_io_seconds_ago", ago(p.Heard))
	}
	if !p.Up {
		line(w, "master_link_down_since_seconds", ago(p.DownSince))
		line(w, "master_link_down_reason", strings.Join(strings.Fields(p.Reason), " "))
	}
	line(w, "slave_priority", p.Priority)
	line(w, "slave_read_only", flag(p.ReadOnly))
	line(w, "replica_announced", flag(p.Announced))
	line(w, "replica_skipped", p.Skipped)
}
