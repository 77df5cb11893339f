package command

import "strings"

// otherTypes are the well-known commands of data types this server does not
// have. They get an answer that says so, instead of the one for a typing
// error: whoever points a cache of strings at this server should not search.
var otherTypes = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq(`
		append bitcount bitfield bitfield_ro bitop bitpos decr decrby delifeq get getbit getdel getex getrange getset
		incr incrby incrbyfloat lcs mget mset msetex msetnx psetex set setbit setex setnx setrange strlen substr

		hdel hexists hexpire hexpireat hexpiretime hget hgetall hgetdel hgetex hincrby hincrbyfloat hkeys hlen hmget
		hmset hpersist hpexpire hpexpireat hpexpiretime hpttl hrandfield hscan hset hsetex hsetnx hstrlen httl hvals

		blmove blmpop blpop brpop brpoplpush lindex linsert llen lmove lmpop lpop lpos lpush lpushx lrange lrem lset
		ltrim rpop rpoplpush rpush rpushx

		sadd scard sdiff sdiffstore sinter sintercard sinterstore sismember smembers smismember smove spop srandmember
		srem sscan sunion sunionstore

		xack xackdel xadd xautoclaim xclaim xdel xdelex xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange
		xsetid xtrim

		sort sort_ro

		pfadd pfcount pfdebug pfmerge pfselftest
	`) {
		names[name] = true
	}
	return names
}()

// ofOtherType reports whether a command is one of them.
func ofOtherType(name []byte) bool {
	return len(name) <= maxName && otherTypes[strings.ToLower(string(name))]
}
