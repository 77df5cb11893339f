package telemetry

import (
	"fmt"
	"io"
	"time"

	"zset.dev/operator/node/persist"
)

// writePersistence has the fields of real servers, but those of processes that they fork.
func writePersistence(w io.Writer, f *Facts) {
	p := &f.Persistence
	line(w, "loading", flag(p.Loading.Now))
	line(w, "async_loading", 0)
	line(w, "current_cow_peak", 0)
	line(w, "current_cow_size", 0)
	line(w, "current_cow_size_age", 0)
	line(w, "current_fork_perc", "0.00")
	keys, total := int64(0), int64(0)
	if p.Saving {
		keys, total = p.SaveKeys, p.SaveTotal
	}
	line(w, "current_save_keys_processed", keys)
	line(w, "current_save_keys_total", total)
	line(w, "rdb_changes_since_last_save", p.Changes)
	line(w, "rdb_bgsave_in_progress", flag(p.Saving))
	line(w, "rdb_last_save_time", p.LastSave.Unix())
	line(w, "rdb_last_bgsave_status", status(p.SaveOK))
	line(w, "rdb_last_bgsave_time_sec", seconds(p.SaveTook))
	line(w, "rdb_current_bgsave_time_sec", seconds(p.SaveFor))
	line(w, "rdb_saves", p.Saves)
	line(w, "rdb_last_cow_size", 0)
	line(w, "rdb_last_load_keys_expired", p.Loading.Expired)
	line(w, "rdb_last_load_keys_loaded", p.Loading.Keys)
	line(w, "aof_enabled", flag(p.Appending))
	line(w, "aof_rewrite_in_progress", flag(p.Rewriting))
	line(w, "aof_rewrite_scheduled", flag(p.RewriteWanted))
	line(w, "aof_last_rewrite_time_sec", seconds(p.RewriteTook))
	line(w, "aof_current_rewrite_time_sec", seconds(p.RewriteFor))
	line(w, "aof_last_bgrewrite_status", status(p.RewriteOK))
	line(w, "aof_rewrites", p.Rewrites)
	line(w, "aof_last_write_status", status(p.WriteOK))
	line(w, "aof_last_cow_size", 0)
	line(w, "loaded_commands", p.Loading.Commands)
	line(w, "loaded_skipped", p.Loading.Skipped)
	line(w, "loaded_cut_bytes", p.Loading.CutBytes)
	if p.Appending {
		line(w, "aof_current_size", p.Size)
		line(w, "aof_base_size", p.BaseSize)
		line(w, "aof_pending_rewrite", 0)
		line(w, "aof_buffer_length", p.Behind)
		line(w, "aof_pending_bio_fsync", 0)
		line(w, "aof_delayed_fsync", 0)
	}
	if p.Loading.Now {
		writeLoading(w, &p.Loading, f.Now)
	}
}

// writeLoading tells how far loading is.
func writeLoading(w io.Writer, l *persist.Loading, now time.Time) {
	line(w, "loading_start_time", l.Began.Unix())
	line(w, "loading_total_bytes", l.Total)
	line(w, "loading_rdb_used_mem", 0)
	line(w, "loading_loaded_bytes", l.Done)
	percent := 0.0
	if l.Total > 0 {
		percent = 100 * float64(l.Done) / float64(l.Total)
	}
	line(w, "loading_loaded_perc", fmt.Sprintf("%.2f", percent))
	line(w, "loading_eta_seconds", int64(l.Left(now).Seconds()))
}

func flag(on bool) int {
	if on {
		return 1
	}
	return 0
}

func status(ok bool) string {
	if ok {
		return "ok"
	}
	return "err"
}

// seconds is a duration in whole seconds, -1 when there is none.
func seconds(d time.Duration) int64 {
	if d < 0 {
		return -1
	}
	return int64(d.Seconds())
}
