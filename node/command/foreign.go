package command

import "strings"

// otherTypes are the well-known commands of data types this server does not
// have, by type. They get an answer that says so, instead of the one for a
// typing error: whoever points a cache of strings at this server should not
// search. A name that ends in a dot stands for all that begin with it.
var otherTypes = []struct{ kind, names string }{
	{"strings and bits", `
		append bitcount bitfield bitfield_ro bitop bitpos decr decrby delex delifeq digest get getbit getdel getex getrange getset
		incr incrby incrbyfloat lcs mget mset msetex msetnx psetex set setbit setex setnx setrange strlen substr`},
	{"hashes", `
		hdel hexists hexpire hexpireat hexpiretime hget hgetall hgetdel hgetex hincrby hincrbyfloat hkeys hlen hmget
		hmset hpersist hpexpire hpexpireat hpexpiretime hpttl hrandfield hscan hset hsetex hsetnx hstrlen httl hvals`},
	{"lists", `
		blmove blmpop blpop brpop brpoplpush lindex linsert llen lmove lmpop lpop lpos lpush lpushx lrange lrem lset
		ltrim rpop rpoplpush rpush rpushx`},
	{"sets", `
		sadd scard sdiff sdiffstore sinter sintercard sinterstore sismember smembers smismember smove spop srandmember
		srem sscan sunion sunionstore`},
	{"streams", `
		xack xackdel xadd xautoclaim xclaim xdel xdelex xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange
		xsetid xtrim`},
	{"sorting of other types", `sort sort_ro`},
	{"counting with HyperLogLog", `pfadd pfcount pfdebug pfmerge pfselftest`},
	{"vector sets", `vadd vcard vdim vemb vgetattr vinfo vismember vlinks vrandmember vrange vrem vsetattr vsim`},
	{"types of modules", `bf. cf. cms. ft. json. tdigest. topk. ts.`},
}

var foreignNames, foreignModules = func() (names, modules map[string]bool) {
	names, modules = map[string]bool{}, map[string]bool{}
	for _, t := range otherTypes {
		for name := range strings.FieldsSeq(t.names) {
			if module, ok := strings.CutSuffix(name, "."); ok {
				modules[module] = true
			} else {
				names[name] = true
			}
		}
	}
	return names, modules
}()

// ofOtherType reports whether a command is one of them.
func ofOtherType(name []byte) bool {
	if len(name) > maxName {
		return false
	}
	lower := strings.ToLower(string(name))
	module, _, ok := strings.Cut(lower, ".")
	return foreignNames[lower] || ok && foreignModules[module]
}
