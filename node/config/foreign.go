package config

import "zset.dev/operator/node/glob"

// foreign are directives of other servers that users may bring along, by
// pattern, each with the reason it is refused. To accept one would be to
// ignore it silently. The first pattern that matches counts.
var foreign = []struct{ pattern, why string }{
	{"include", "not supported; write everything in one file"},
	{"loadmodule*", "the node loads no modules"},
	{"rename-command", "commands cannot be renamed"},
	{"tls-client-*", "this version connects to no other node"},
	{"tls-dh-params-file", "keys are agreed on by elliptic curves only"},
	{"tls-session-cache-*", "clients keep their sessions, in tickets"},
	{"max-new-tls-connections-per-cycle", "handshakes run beside commands, no more at once than there are processors"},
	{"unixsocket*", "the node listens on TCP only"},
	{"tcp-backlog", "the system decides (net.core.somaxconn on Linux)"},
	{"io-threads*", "the node uses every processor it may; the environment's GOMAXPROCS limits it"},
	{"*_cpulist", "the node uses every processor it may; bind it with taskset or the container's limits"},
	{"*-cpulist", "the node uses every processor it may; bind it with taskset or the container's limits"},
	{"pidfile", "the node writes no pid file"},
	{"syslog-*", "the log goes to standard output or logfile"},
	{"cluster-*", "this version serves all keys from one node"},
	{"repl-diskless-load", "all data of a primary are read as they arrive, in place of what there was"},
	{"repl-rdb-channel", "data and log come over one connection"},
	{"repl-mptcp", "the system decides"},
	{"rdb-key-save-delay", "for tests of other servers"},
	{"rdb-version-check", "files of every version that is known are loaded, no others"},
	{"hash-*", "the node holds sorted sets only"},
	{"list-*", "the node holds sorted sets only"},
	{"set-max-*", "the node holds sorted sets only"},
	{"stream-*", "the node holds sorted sets only"},
	{"hll-*", "the node holds sorted sets only"},
	{"active-defrag-threshold-upper", "not adjustable"},
	{"active-defrag-cycle-*", "not adjustable"},
	{"active-defrag-max-scan-fields", "not adjustable"},
	{"lazyfree-*", "not adjustable"},
	{"active-expire-effort", "not adjustable"},
	{"hz", "not adjustable"},
	{"dynamic-hz", "not adjustable"},
	{"activerehashing", "not adjustable"},
	{"commandlog-*", "only the time of commands is logged"},
	{"oom-score-adj*", "the system or the container runtime decides"},
	{"disable-thp", "the system decides (/sys/kernel/mm/transparent_hugepage)"},
	{"always-show-logo", "there is no logo"},
	{"set-proc-title", "the node leaves its process title alone"},
	{"proc-title-template", "the node leaves its process title alone"},
	{"crash-*", "a crash prints its stack to standard error"},
}

// whyUnknown is the reason a directive that is not in the table is refused.
func whyUnknown(name string) string {
	for _, f := range foreign {
		if glob.Match([]byte(f.pattern), []byte(name)) {
			return f.why + "; remove it"
		}
	}
	return "unknown directive; --help lists those there are"
}
