// Package clients holds a session that real clients of Redis and Valkey have
// with a node, each in its default configuration: connect, pipeline,
// transaction, script, blocking pop, tracking, publish and subscribe.
//
//	test/clients/run.sh              against the node
//	test/clients/run.sh --peer       against the newest Valkey Debian has, for comparison
//
// go-redis and rueidis run in this process; node-redis and ioredis come from
// npm (node/, versions pinned), redis-py from Debian; redis-cli, redis-benchmark and their Valkey
// counterparts come from Debian. The tests end with a table of client by
// feature: what a client cannot do is in it with the reason.
//
// They need the build tag clients and, in ZSET_SERVER, the command that starts
// the server, to which a port is added. The table goes to the file that
// ZSET_CLIENTS_TABLE names.
package clients
