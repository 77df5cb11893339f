"""The session of redis-py: a line of JSON for each step, {"feature", "error"}."""

import json
import sys
import threading
import time

import redis

LIMITER = """redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1"""

host, port = sys.argv[1].split(":")


def client(**options):
    return redis.Redis(host=host, port=int(port), protocol=3, decode_responses=True, socket_timeout=5, **options)


def key(name):
    return "redispy:" + name


def expect(what, got, want):
    if got != want:
        raise AssertionError(f"{what}: got {got!r}, want {want!r}")


def until(what, ask):
    """Asks again until the answer is yes; the server's answer is what takes time."""
    end = time.monotonic() + 5
    while not ask():
        if time.monotonic() > end:
            raise AssertionError(f"{what}: not in 5 s")


c = client(client_name="session")


def connect():
    expect("PING", c.ping(), True)
    expect("CLIENT GETNAME", c.client_getname(), "session")
    expect("SELECT", c.select(0), True)
    if "zadd" not in c.command():
        raise AssertionError("COMMAND lacks ZADD")
    expect("COMMAND GETKEYS", c.command_getkeys("ZUNIONSTORE", "d", "2", "a", "b"), ["d", "a", "b"])


def commands():
    k = key("board")
    c.delete(k)
    expect("ZADD", c.zadd(k, {"ada": 1.5, "bob": 2}), 2)
    expect("ZRANGE", c.zrange(k, 0, -1, withscores=True), [["ada", 1.5], ["bob", 2.0]])
    expect("ZINCRBY", c.zincrby(k, 2, "ada"), 3.5)
    expect("ZSCORE of no member", c.zscore(k, "nobody"), None)
    expect("ZUNION", c.zunion([k, k], withscores=True), [["bob", 4.0], ["ada", 7.0]])
    expect("ZRANK", c.zrank(k, "ada", withscore=True), [1, 3.5])
    expect("ZMPOP", c.zmpop(1, [k], min=True), [k, [["bob", 2.0]]])
    c.geoadd(key("places"), (13.361389, 38.115556, "Palermo"))
    expect("GEOSEARCH", c.geosearch(key("places"), longitude=13, latitude=38, radius=100, unit="km"), ["Palermo"])
    expect("INFO", c.info("replication")["role"], "master")
    expect("OBJECT ENCODING", c.object("encoding", k), "listpack")
    c.client_list(), c.slowlog_get(), c.latency_latest(), c.memory_stats(), c.acl_list(), c.config_get("*"), c.module_list()


def pipeline():
    k = key("pipe")
    c.delete(k)
    p = c.pipeline(transaction=False)
    for i in range(500):
        p.zadd(k, {f"m{i}": i})
    p.zcard(k)
    expect("ZCARD", p.execute()[-1], 500)


def transaction():
    k = key("tx")
    c.delete(k)
    expect("EXEC", c.pipeline().zadd(k, {"m": 1}).zincrby(k, 1, "m").execute(), [1, 2.0])


def watch():
    k = key("watch")
    c.delete(k)
    p = client().pipeline()
    p.watch(k)
    c.zadd(k, {"x": 1})
    p.multi()
    p.zcard(k)
    try:
        p.execute()
    except redis.WatchError:
        return
    raise AssertionError("a watched key changed, and EXEC went on")


def script():
    k = key("limit")
    c.delete(k)
    limit = c.register_script(LIMITER)  # EVALSHA, and SCRIPT LOAD on NOSCRIPT
    expect("limiter", [limit(keys=[k], args=[1000 + i, 60000, 2]) for i in range(4)], [1, 1, 0, 0])


def blocking():
    k = key("queue")
    c.delete(k)
    popped = []
    waiter = threading.Thread(target=lambda: popped.append(client().bzpopmin(k, 4)))
    waiter.start()
    until("blocked", lambda: popped or c.info("clients")["blocked_clients"] > 0)
    c.zadd(k, {"job": 7})
    waiter.join(5)
    expect("BZPOPMIN", popped, [[k, "job", 7.0]])


def tracking():
    # Its cache wants a server that says 7.4 or later, which Valkey and this one do not: so on a connection by hand.
    k = key("tracked")
    c.zadd(k, {"m": 1})
    told = []
    connection = client().connection_pool.get_connection()
    connection._parser.set_invalidation_push_handler(told.append)

    def call(*args):
        connection.send_command(*args)
        return connection.read_response()

    expect("CLIENT TRACKING", call("CLIENT", "TRACKING", "ON"), "OK")
    expect("ZSCORE", call("ZSCORE", k, "m"), 1.0)
    c.zadd(k, {"m": 2})
    until("invalidated", lambda: call("PING") and told)
    expect("invalidation", told, [["invalidate", [k]]])


def pubsub():
    sub = client().pubsub()
    sub.psubscribe(key("news.*"))
    expect("subscribed", sub.get_message(timeout=5)["type"], "psubscribe")
    expect("PUBLISH", c.publish(key("news.a"), "hello"), 1)
    message = sub.get_message(timeout=5)
    expect("message", [message["channel"], message["data"]], [key("news.a"), "hello"])


def scan():
    expect("ZSCAN", len(set(c.zscan_iter(key("pipe"), count=50))), 500)
    expect("SCAN", list(c.scan_iter(key("pip*"), _type="zset")), [key("pipe")])


for step in (connect, commands, pipeline, transaction, watch, script, blocking, tracking, pubsub, scan):
    error = ""
    try:
        step()
    except Exception as e:  # whatever it is, it goes into the table
        error = f"{type(e).__name__}: {e}"
    print(json.dumps({"feature": step.__name__, "error": error}), flush=True)
    if step is connect and error:
        break
