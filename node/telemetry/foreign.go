package telemetry

import (
	"fmt"
	"io"
)

// foreign are fields of INFO that dashboards and exporters read, about parts
// of other servers that this one does not have: what there is none of is 0.
var foreign = map[string][]struct{ name, value string }{
	"Server": {
		{"redis_git_sha1", "00000000"}, {"redis_git_dirty", "0"}, {"process_supervised", "no"}, {"io_threads_active", "0"},
	},
	"Memory": {
		{"used_memory_startup", "0"},
		{"mem_not_counted_for_evict", "0"}, {"mem_clients_slaves", "0"},
		{"mem_cluster_links", "0"}, {"mem_aof_buffer", "0"},
	},
	"Persistence": {
		{"aof_rewrites_consecutive_failures", "0"},
		{"module_fork_in_progress", "0"}, {"module_fork_last_cow_size", "0"},
	},
	"Stats": {
		{"total_net_repl_input_bytes", "0"}, {"instantaneous_input_repl_kbps", "0.00"}, {"instantaneous_output_repl_kbps", "0.00"},
		{"expired_stale_perc", "0.00"}, {"expired_time_cap_reached_count", "0"}, {"migrate_cached_sockets", "0"}, {"slave_expires_tracked_keys", "0"},
		{"dump_payload_sanitizations", "0"}, {"io_threaded_reads_processed", "0"}, {"io_threaded_writes_processed", "0"},
	},
	"CPU": {{"used_cpu_sys_children", "0.000000"}, {"used_cpu_user_children", "0.000000"}},
}

func writeForeign(w io.Writer, section string) {
	for _, f := range foreign[section] {
		line(w, f.name, f.value)
	}
}

// writeAllocator tells of memory below the keys: what they need, what is in use
// for that and everything else in the runtime's heap and outside of it, and what
// both have of the system.
func writeAllocator(w io.Writer, f *Facts) {
	line(w, "allocator_allocated", f.Used)
	line(w, "allocator_active", f.Active())
	line(w, "allocator_resident", f.System())
	line(w, "allocator_frag_ratio", fmt.Sprintf("%.2f", ratio(f.Active(), f.Used)))
	line(w, "allocator_frag_bytes", f.Active()-f.Used)
	line(w, "allocator_rss_ratio", fmt.Sprintf("%.2f", ratio(f.System(), f.Active())))
	line(w, "allocator_rss_bytes", f.System()-f.Active())
	line(w, "rss_overhead_ratio", fmt.Sprintf("%.2f", ratio(f.Resident, f.System())))
	line(w, "rss_overhead_bytes", f.Resident-f.System())
}

// writeScripts tells of scripts and functions: "vm" is their compiled code.
func writeScripts(w io.Writer, f *Facts) {
	s := &f.Scripts
	text := s.ScriptText + s.LibraryText
	line(w, "used_memory_vm_eval", s.ScriptCompiled)
	line(w, "used_memory_lua", s.ScriptCompiled)
	line(w, "used_memory_lua_human", human(s.ScriptCompiled))
	line(w, "used_memory_scripts_eval", s.ScriptText)
	line(w, "number_of_cached_scripts", s.Scripts)
	line(w, "number_of_functions", s.Functions)
	line(w, "number_of_libraries", s.Libraries)
	line(w, "used_memory_vm_functions", s.LibraryCompiled)
	line(w, "used_memory_vm_total", s.ScriptCompiled+s.LibraryCompiled)
	line(w, "used_memory_vm_total_human", human(s.ScriptCompiled+s.LibraryCompiled))
	line(w, "used_memory_functions", s.LibraryText)
	line(w, "used_memory_scripts", text)
	line(w, "used_memory_scripts_human", human(text))
}
