# standin.tcl: lets tests run on a server of sorted sets that need some value, but not one of another type.
#
# Most tests of expiry, transactions, scripts or key commands begin with SET, for want of anything simpler. Here SET makes
# a sorted set whose one member is the value, GET reads it, and so on: each becomes one EVAL, so that it has one reply of
# the right kind and can stand in a transaction. Which tests mean the same with stand-ins a real server decides: those
# that pass on it in this form are listed in standins.txt, and these the node must pass.

namespace eval standin {
    variable scripts
    array set scripts {}
    variable prelude {
        local K = KEYS[1]
        local function value(k) return redis.call('zrange', k, 0, 0)[1] or false end
        local function put(k, v) redis.call('del', k); redis.call('zadd', k, 0, v) end
        local function int(s) return tonumber(s) and string.format('%d', s) end
        local function push(k, first, step)
            local at = redis.call('zrange', k, step > 0 and -1 or 0, step > 0 and -1 or 0, 'withscores')[2]
            at = at and at + step or 0
            for i = first, #ARGV do redis.call('zadd', k, at, ARGV[i]); at = at + step end
            return redis.call('zcard', k)
        end
    }
}

# one defines the stand-in of a command: how many of its arguments are keys (n, or all), and what the script does.
proc standin::one {name keys body} {
    variable scripts
    variable prelude
    set scripts($name) [list $keys "$prelude $body"]
}

standin::one get 1 {return value(K)}
standin::one set 1 {
    local old, ttl, keep, i = value(K), nil, false, 2
    local get = false
    while ARGV[i] do
        local o = string.lower(ARGV[i])
        if o == 'nx' then if old then return get and old or false end
        elseif o == 'xx' then if not old then return false end
        elseif o == 'get' then get = true
        elseif o == 'keepttl' then keep = redis.call('pexpiretime', K)
        elseif o == 'ex' then ttl = {'expire', ARGV[i + 1]}; i = i + 1
        elseif o == 'px' then ttl = {'pexpire', ARGV[i + 1]}; i = i + 1
        elseif o == 'exat' then ttl = {'expireat', ARGV[i + 1]}; i = i + 1
        elseif o == 'pxat' then ttl = {'pexpireat', ARGV[i + 1]}; i = i + 1
        else return redis.error_reply('ERR syntax error') end
        i = i + 1
    end
    put(K, ARGV[1])
    if ttl then redis.call(ttl[1], K, ttl[2]) end
    if keep and keep > 0 then redis.call('pexpireat', K, keep) end
    if get then return old end
    return redis.status_reply('OK')
}
standin::one setex 1 {put(K, ARGV[2]); redis.call('expire', K, ARGV[1]); return redis.status_reply('OK')}
standin::one psetex 1 {put(K, ARGV[2]); redis.call('pexpire', K, ARGV[1]); return redis.status_reply('OK')}
standin::one setnx 1 {if value(K) then return 0 end; put(K, ARGV[1]); return 1}
standin::one getset 1 {local old = value(K); put(K, ARGV[1]); return old}
standin::one getdel 1 {local old = value(K); redis.call('del', K); return old}
standin::one strlen 1 {return #(value(K) or '')}
standin::one append 1 {local v = (value(K) or '') .. ARGV[1]; put(K, v); return #v}
foreach {name by} {incr 1 decr -1 incrby ARGV[1] decrby -ARGV[1]} {
    standin::one $name 1 "local n = value(K) or '0'
        if not int(n) then return redis.error_reply('ERR value is not an integer or out of range') end
        local at = redis.call('pexpiretime', K)
        n = string.format('%d', n + ($by)); put(K, n)
        if at > 0 then redis.call('pexpireat', K, at) end
        return tonumber(n)"
}
standin::one mget all {local r = {}; for i, k in ipairs(KEYS) do r[i] = value(k) end; return r}
standin::one mset pairs {for i, k in ipairs(KEYS) do put(k, ARGV[i]) end; return redis.status_reply('OK')}
standin::one rpush 1 {return push(K, 1, 1)}
standin::one lpush 1 {return push(K, 1, -1)}
standin::one llen 1 {return redis.call('zcard', K)}
standin::one lrange 1 {return redis.call('zrange', K, ARGV[1], ARGV[2])}
standin::one lpop 1 {return redis.call('zpopmin', K)[1] or false}
standin::one rpop 1 {return redis.call('zpopmax', K)[1] or false}
standin::one sadd 1 {local n = 0; for _, m in ipairs(ARGV) do n = n + redis.call('zadd', K, 0, m) end; return n}
standin::one srem 1 {local n = 0; for _, m in ipairs(ARGV) do n = n + redis.call('zrem', K, m) end; return n}
standin::one scard 1 {return redis.call('zcard', K)}
standin::one smembers 1 {return redis.call('zrange', K, 0, -1)}
standin::one sismember 1 {return redis.call('zscore', K, ARGV[1]) and 1 or 0}
standin::one hset 1 {local n = 0; for i = 1, #ARGV, 2 do n = n + redis.call('zadd', K, 0, ARGV[i]) end; return n}
standin::one hmset 1 {for i = 1, #ARGV, 2 do redis.call('zadd', K, 0, ARGV[i]) end; return redis.status_reply('OK')}
standin::one hlen 1 {return redis.call('zcard', K)}
standin::one hdel 1 {local n = 0; for _, m in ipairs(ARGV) do n = n + redis.call('zrem', K, m) end; return n}
standin::one hexists 1 {return redis.call('zscore', K, ARGV[1]) and 1 or 0}

# command is what to send instead of a command, as a list; empty when it has no stand-in.
proc standin::command {method argv} {
    variable scripts
    set name [string tolower $method]
    if {![info exists scripts($name)] || [llength $argv] == 0} return
    lassign $scripts($name) keys script
    switch $keys {
        all { return [list eval $script [llength $argv] {*}$argv] }
        pairs {
            set k {}
            set v {}
            foreach {key value} $argv { lappend k $key; lappend v $value }
            return [list eval $script [llength $k] {*}$k {*}$v]
        }
        default { return [list eval $script $keys {*}$argv] }
    }
}
