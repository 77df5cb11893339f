import { Redis } from "ioredis";
import { expect, host, limiter, port, run, until, within } from "./session.js";

const open = () => {
  const client = new Redis({ host, port: Number(port), retryStrategy: () => null });
  client.on("error", () => {});
  return client;
};
const key = (name) => `ioredis:${name}`;
let c;

await run({
  async connect() {
    c = open();
    expect("PING", await c.ping(), "PONG");
    expect("status", c.status, "ready"); // it asks INFO whether the server is loading
  },
  async commands() {
    const k = key("board");
    await c.del(k);
    expect("ZADD", await c.zadd(k, 1.5, "ada", 2, "bob"), 2);
    expect("ZRANGE", (await c.zrange(k, 0, -1, "WITHSCORES")).flat().map(String), ["ada", "1.5", "bob", "2"]);
    expect("ZINCRBY", Number(await c.zincrby(k, 2, "ada")), 3.5);
    expect("ZSCORE of no member", await c.zscore(k, "nobody"), null);
    expect("ZUNION", await c.zunion(2, k, k), ["bob", "ada"]);
  },
  async pipeline() {
    const k = key("pipe");
    await c.del(k);
    const p = c.pipeline();
    for (let i = 0; i < 500; i++) p.zadd(k, i, `m${i}`);
    p.zcard(k);
    const replies = await p.exec();
    expect("errors", replies.filter(([e]) => e).length, 0);
    expect("ZCARD", replies.at(-1)[1], 500);
  },
  async transaction() {
    const k = key("tx");
    await c.del(k);
    const replies = await c.multi().zadd(k, 1, "m").zincrby(k, 1, "m").exec();
    expect("EXEC", replies.map(([e, r]) => [e, Number(r)]), [[null, 1], [null, 2]]);
  },
  async watch() {
    const k = key("watch");
    await c.del(k);
    const watcher = open();
    await watcher.watch(k);
    await c.zadd(k, 1, "x");
    expect("a watched key changed", await watcher.multi().zcard(k).exec(), null);
    watcher.disconnect();
  },
  async script() {
    const k = key("limit");
    await c.del(k);
    c.defineCommand("limit", { numberOfKeys: 1, lua: limiter }); // EVALSHA, and EVAL on NOSCRIPT
    const got = [];
    for (let i = 0; i < 4; i++) got.push(await c.limit(k, 1000 + i, 60000, 2));
    expect("limiter", got, [1, 1, 0, 0]);
  },
  async blocking() {
    const k = key("queue");
    await c.del(k);
    const waiting = open();
    let popped;
    const pop = waiting.bzpopmin(k, 5).then((p) => { popped = p; }, (e) => { popped = e; });
    await until("blocked", async () => popped || !(await c.info("clients")).includes("blocked_clients:0\r\n"));
    if (popped instanceof Error) throw popped;
    await c.zadd(k, 7, "job");
    await within("pop", pop);
    expect("BZPOPMIN", popped.map(String), [k, "job", "7"]);
    waiting.disconnect();
  },
  async tracking() {
    // It has no cache: invalidations are redirected to a second connection, the RESP2 way.
    const k = key("tracked");
    await c.zadd(k, 1, "m");
    const sub = new Redis({ host, port: Number(port), protocol: 2, retryStrategy: () => null });
    sub.on("error", () => {});
    const id = await sub.client("ID");
    const stale = new Promise((resolve) => sub.on("message", (channel, keys) => resolve([channel, [keys].flat()])));
    await sub.subscribe("__redis__:invalidate");
    await c.client("TRACKING", "ON", "REDIRECT", id);
    await c.zscore(k, "m");
    const other = open();
    await other.zadd(k, 2, "m");
    expect("invalidation", await within("invalidation", stale), ["__redis__:invalidate", [k]]);
    await c.client("TRACKING", "OFF");
    sub.disconnect();
    other.disconnect();
  },
  async pubsub() {
    const sub = open();
    const heard = new Promise((resolve) => sub.on("pmessage", (pattern, channel, message) => resolve([channel, message])));
    await sub.psubscribe(key("news.*"));
    expect("PUBLISH", await c.publish(key("news.a"), "hello"), 1);
    expect("message", await within("message", heard), [key("news.a"), "hello"]);
    sub.disconnect();
  },
  async scan() {
    let n = 0;
    for await (const page of c.zscanStream(key("pipe"), { count: 50 })) n += page.length / 2;
    if (n < 500) throw new Error(`ZSCAN saw ${n} of 500`);
  },
});
