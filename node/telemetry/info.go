package telemetry

import (
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"time"
)

// section is one part of INFO.
type section struct {
	name  string // as clients match it, case and all
	extra bool   // printed by "all" and when named, not by default
	write func(w io.Writer, f *Facts)
}

var sections = []section{
	{"Server", false, writeServer},
	{"Clients", false, writeClients},
	{"Memory", false, writeMemory},
	{"Persistence", false, writePersistence},
	{"Stats", false, writeStats},
	{"Replication", false, writeReplication},
	{"Shard", false, writeShard},
	{"CPU", false, writeCPU},
	{"Modules", false, func(io.Writer, *Facts) {}}, // there are none
	{"Commandstats", true, writeCommandstats},
	{"Errorstats", false, writeErrorstats},
	{"Latencystats", true, writeLatencystats},
	{"Cluster", false, writeCluster},
	{"TLS", true, writeTLS},
	{"Keyspace", false, writeKeyspace},
}

// WriteInfo prints the sections asked for, in their fixed order: by name in
// any case, "all" and "everything" for all of them, "default" or none for the
// usual ones. Names it does not know are skipped.
func WriteInfo(w io.Writer, f *Facts, names ...string) {
	wanted := map[string]bool{}
	for _, name := range names {
		wanted[strings.ToLower(name)] = true
	}
	usual := len(names) == 0 || wanted["default"]
	all := wanted["all"] || wanted["everything"]
	first := true
	for _, s := range sections {
		if !(all || usual && !s.extra || wanted[strings.ToLower(s.name)]) {
			continue
		}
		if !first {
			io.WriteString(w, "\r\n")
		}
		first = false
		io.WriteString(w, "# "+s.name+"\r\n")
		s.write(w, f)
		writeForeign(w, s.name)
	}
}

func line(w io.Writer, name string, value any) { fmt.Fprintf(w, "%s:%v\r\n", name, value) }

func writeServer(w io.Writer, f *Facts) {
	line(w, "redis_version", f.ServerVersion)
	line(w, "server_name", "zset")
	line(w, "zset_version", f.Version)
	line(w, "redis_mode", "standalone")
	line(w, "server_mode", "standalone")
	line(w, "os", runtime.GOOS+" "+runtime.GOARCH)
	line(w, "arch_bits", 32<<(^uint(0)>>63))
	line(w, "go_version", runtime.Version())
	line(w, "process_id", f.ProcessID)
	line(w, "run_id", f.RunID)
	line(w, "tcp_port", f.Port)
	line(w, "server_time_usec", f.Now.UnixMicro())
	line(w, "uptime_in_seconds", int64(f.Uptime().Seconds()))
	line(w, "uptime_in_days", int64(f.Uptime().Hours()/24))
	line(w, "executable", f.Executable)
	line(w, "config_file", f.ConfigFile)
	line(w, "availability_zone", f.Zone)
}

func writeClients(w io.Writer, f *Facts) {
	line(w, "connected_clients", f.Connected)
	line(w, "cluster_connections", 0)
	line(w, "maxclients", f.MaxClients)
	line(w, "client_recent_max_input_buffer", f.LargestQuery)
	line(w, "client_recent_max_output_buffer", f.LargestReply)
	line(w, "blocked_clients", f.Blocked)
	line(w, "tracking_clients", f.Tracking)
	line(w, "pubsub_clients", f.Subscribed)
	line(w, "watching_clients", f.Watching)
	line(w, "clients_in_timeout_table", f.Blocked)
	line(w, "total_watched_keys", f.WatchedKeys)
	line(w, "total_blocking_keys", f.AwaitedKeys)
	line(w, "total_blocking_keys_on_nokey", 0)
	reason, actions := "none", "none"
	if f.Pause > 0 {
		reason, actions = "client_pause", "write"
		if f.PauseAll {
			actions = "all"
		}
	}
	if f.Handover != "" && f.Handover != "no-failover" {
		reason = "failover_in_progress"
		if actions == "none" {
			actions = "write"
		}
	}
	line(w, "paused_reason", reason)
	line(w, "paused_actions", actions)
	line(w, "paused_timeout_milliseconds", f.Pause.Milliseconds())
}

func writeMemory(w io.Writer, f *Facts) {
	line(w, "used_memory", f.Used)
	line(w, "used_memory_human", human(f.Used))
	line(w, "used_memory_rss", f.Resident)
	line(w, "used_memory_rss_human", human(f.Resident))
	line(w, "used_memory_peak", f.Peak)
	line(w, "used_memory_peak_human", human(f.Peak))
	line(w, "used_memory_peak_perc", fmt.Sprintf("%.2f%%", 100*ratio(f.Used, f.Peak)))
	line(w, "used_memory_overhead", f.Used-f.Dataset)
	line(w, "used_memory_dataset", f.Dataset)
	line(w, "used_memory_dataset_perc", fmt.Sprintf("%.2f%%", 100*ratio(f.Dataset, f.Used)))
	line(w, "mem_clients_normal", f.QueryBytes+f.ReplyBytes)
	line(w, "mem_replication_backlog", f.Replication.BacklogTakes)
	line(w, "mem_total_replication_buffers", f.Replication.BacklogTakes)
	line(w, "heap_in_use", f.HeapInUse)
	line(w, "heap_system", f.HeapSystem)
	line(w, "off_heap_in_use", f.OffHeapInUse)
	line(w, "off_heap_mapped", f.OffHeapMapped)
	line(w, "runtime_memory_limit", f.SoftLimit)
	line(w, "total_system_memory", f.Container)
	line(w, "total_system_memory_human", human(f.Container))
	line(w, "maxmemory", f.Limit)
	line(w, "maxmemory_human", human(f.Limit))
	line(w, "maxmemory_policy", f.Policy)
	line(w, "mem_fragmentation_ratio", fmt.Sprintf("%.2f", ratio(f.Resident, f.Used)))
	line(w, "mem_fragmentation_bytes", f.Resident-f.Used)
	line(w, "mem_allocator", "go, and slabs outside its heap")
	line(w, "active_defrag_running", flag(f.Defragging))
	line(w, "lazyfree_pending_objects", f.Reclaiming)
	line(w, "lazyfreed_objects", f.Reclaimed)
	writeAllocator(w, f)
	writeScripts(w, f)
}

func writeStats(w io.Writer, f *Facts) {
	s := f.Stats
	ops, in, out := s.Rates()
	line(w, "total_connections_received", s.ConnectionsAccepted.Load())
	line(w, "total_commands_processed", s.CommandsProcessed.Load())
	line(w, "instantaneous_ops_per_sec", int64(ops))
	line(w, "total_net_input_bytes", s.BytesIn.Load())
	line(w, "total_net_output_bytes", s.BytesOut.Load())
	line(w, "instantaneous_input_kbps", fmt.Sprintf("%.2f", in/1024))
	line(w, "instantaneous_output_kbps", fmt.Sprintf("%.2f", out/1024))
	line(w, "rejected_connections", s.ConnectionsRejected.Load())
	line(w, "sync_full", s.FullSyncs.Load())
	line(w, "sync_partial_ok", s.PartialSyncs.Load())
	line(w, "sync_partial_err", s.PartialSyncsFailed.Load())
	line(w, "total_net_repl_output_bytes", s.ReplicaBytesOut.Load())
	line(w, "expired_keys", f.Expired-s.ExpiredBase.Load())
	line(w, "evicted_keys", f.Evicted-s.EvictedBase.Load())
	line(w, "evicted_clients", s.ClientsEvicted.Load())
	line(w, "evicted_scripts", f.Scripts.Evicted)
	line(w, "total_eviction_exceeded_time", f.TotalExceeded.Milliseconds())
	line(w, "current_eviction_exceeded_time", f.CurrentExceeded.Milliseconds())
	line(w, "active_defrag_hits", f.DefragHits)
	line(w, "active_defrag_misses", f.DefragMisses)
	line(w, "active_defrag_key_hits", f.DefragHits)
	line(w, "active_defrag_key_misses", f.DefragMisses)
	line(w, "keyspace_hits", s.Hits.Load())
	line(w, "keyspace_misses", s.Misses.Load())
	line(w, "pubsub_channels", f.Channels)
	line(w, "pubsub_patterns", f.Patterns)
	line(w, "pubsubshard_channels", f.ShardChannels)
	line(w, "tracking_total_keys", f.TrackedKeys)
	line(w, "tracking_total_items", f.TrackedItems)
	line(w, "tracking_total_prefixes", f.TrackedPrefixes)
	line(w, "latest_fork_usec", 0)
	line(w, "total_forks", 0)
	line(w, "unexpected_error_replies", 0)
	line(w, "total_error_replies", totalErrors(s))
	line(w, "total_reads_processed", s.Reads.Load())
	line(w, "total_writes_processed", s.Writes.Load())
	line(w, "client_query_buffer_limit_disconnections", s.QueryLimitClosed.Load())
	line(w, "client_output_buffer_limit_disconnections", s.OutputLimitClosed.Load())
	line(w, "client_idle_disconnections", s.IdleClosed.Load())
	line(w, "protocol_errors", s.ProtocolErrors.Load())
	line(w, "acl_access_denied_auth", s.AuthFailures.Load())
	line(w, "acl_access_denied_cmd", s.CommandsDenied.Load())
	line(w, "acl_access_denied_key", s.KeysDenied.Load())
	line(w, "acl_access_denied_channel", s.ChannelsDenied.Load())
	line(w, "acl_access_denied_db", s.DatabasesDenied.Load())
}

func totalErrors(s *Stats) (n int64) {
	for _, e := range s.Errors() {
		n += e.Count
	}
	return n
}

func writeCPU(w io.Writer, f *Facts) {
	line(w, "used_cpu_sys", fmt.Sprintf("%.6f", f.SystemCPU))
	line(w, "used_cpu_user", fmt.Sprintf("%.6f", f.UserCPU))
}

func writeCommandstats(w io.Writer, f *Facts) {
	for _, c := range f.Stats.Commands() {
		calls, rejected := c.Calls.Load(), c.Rejected.Load()
		if calls == 0 && rejected == 0 {
			continue
		}
		usec := c.Nanos.Load() / 1000
		fmt.Fprintf(w, "cmdstat_%s:calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d\r\n",
			c.Name, calls, usec, ratio(c.Nanos.Load(), calls)/1000, rejected, c.Failed.Load())
	}
}

func writeLatencystats(w io.Writer, f *Facts) {
	for _, c := range f.Stats.Commands() {
		h := c.Times()
		if h == nil {
			continue
		}
		fmt.Fprintf(w, "latency_percentiles_usec_%s:", c.Name)
		for i, p := range f.Percentiles {
			if i > 0 {
				io.WriteString(w, ",")
			}
			fmt.Fprintf(w, "p%s=%.3f", p.Text, float64(h.Percentile(p.Value))/1000)
		}
		io.WriteString(w, "\r\n")
	}
}

func writeErrorstats(w io.Writer, f *Facts) {
	for _, e := range f.Stats.Errors() {
		fmt.Fprintf(w, "errorstat_%s:count=%d\r\n", e.Code, e.Count)
	}
}

func writeCluster(w io.Writer, _ *Facts) { line(w, "cluster_enabled", 0) }

// writeTLS has Valkey's fields, then those of this node.
func writeTLS(w io.Writer, f *Facts) {
	t := TLS{}
	if f.TLS != nil {
		t = *f.TLS
	}
	for _, c := range []struct {
		name, serial string
		expires      time.Time
	}{{"server", t.Serial, t.Expires}, {"client", "", time.Time{}}, {"ca", t.CASerial, t.CAExpires}} {
		serial, left := "none", int64(0)
		if c.serial != "" {
			serial, left = c.serial, max(0, int64(c.expires.Sub(f.Now).Seconds()))
		}
		line(w, "tls_"+c.name+"_cert_serial", serial)
		line(w, "tls_"+c.name+"_cert_expires_in_seconds", left)
	}
	line(w, "tls_reloads", t.Reloads)
	status := "ok"
	if t.ReloadFailure != "" {
		status = "failed"
	}
	line(w, "tls_reload_status", status)
	line(w, "tls_reload_error", strings.Join(strings.Fields(t.ReloadFailure), " "))
	line(w, "tls_handshakes_failed", f.Stats.HandshakesFailed.Load())
}

func writeKeyspace(w io.Writer, f *Facts) {
	if f.Keys > 0 {
		fmt.Fprintf(w, "db0:keys=%d,expires=%d,avg_ttl=0\r\n", f.Keys, f.Expiring)
	}
}

// ratio is a/b, 0 when b is 0.
func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// human is a number of bytes as people read it, with two decimals.
func human(n int64) string {
	value := float64(n)
	if n < 1024 {
		return fmt.Sprintf("%dB", n)
	}
	unit := -1
	for value >= 1024 && unit < 4 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.2f%c", value, "KMGTP"[unit])
}

// Executable is the path of the running program, empty when unknown.
func Executable() string {
	path, err := os.Executable()
	if err != nil {
		return ""
	}
	return path
}
