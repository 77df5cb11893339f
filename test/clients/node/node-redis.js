import { createClient } from "redis";
import { expect, host, limiter, port, run, until, within } from "./session.js";

const options = { socket: { host, port: Number(port), reconnectStrategy: false } };
const open = async (more = {}) => {
  const client = createClient({ ...options, ...more });
  client.on("error", () => {});
  await client.connect();
  return client;
};
const key = (name) => `noderedis:${name}`;
let c;

await run({
  async connect() {
    c = await open();
    expect("PING", await c.ping(), "PONG");
  },
  async commands() {
    const k = key("board");
    await c.del(k);
    expect("ZADD", await c.zAdd(k, [{ score: 1.5, value: "ada" }, { score: 2, value: "bob" }]), 2);
    expect("ZRANGE", await c.zRangeWithScores(k, 0, -1), [{ value: "ada", score: 1.5 }, { value: "bob", score: 2 }]);
    expect("ZINCRBY", await c.zIncrBy(k, 2, "ada"), 3.5);
    expect("ZSCORE of no member", await c.zScore(k, "nobody"), null);
    expect("ZUNION", await c.zUnion([k, k]), ["bob", "ada"]);
  },
  async pipeline() {
    const k = key("pipe");
    await c.del(k);
    const replies = await Promise.all(Array.from({ length: 500 }, (_, i) => c.zAdd(k, { score: i, value: `m${i}` })));
    expect("replies", replies.every((r) => r === 1), true);
    expect("ZCARD", await c.zCard(k), 500);
  },
  async transaction() {
    const k = key("tx");
    await c.del(k);
    expect("EXEC", await c.multi().zAdd(k, { score: 1, value: "m" }).zIncrBy(k, 1, "m").exec(), [1, 2]);
  },
  async watch() {
    const k = key("watch");
    await c.del(k);
    const watcher = await open();
    await watcher.watch(k);
    await c.zAdd(k, { score: 1, value: "x" });
    const verdict = await watcher.multi().zCard(k).exec().then(() => "went through", (e) => e.constructor.name);
    expect("a watched key changed", verdict, "WatchError");
    watcher.destroy();
  },
  async script() {
    const k = key("limit");
    await c.del(k);
    const sha = await c.scriptLoad(limiter);
    const got = [];
    for (let i = 0; i < 4; i++) got.push(await c.evalSha(sha, { keys: [k], arguments: [String(1000 + i), "60000", "2"] }));
    expect("limiter", got, [1, 1, 0, 0]);
    expect("EVAL", await c.eval("return {KEYS[1], 1}", { keys: [k] }), [k, 1]);
  },
  async blocking() {
    const k = key("queue");
    await c.del(k);
    const waiting = await open();
    let popped;
    const pop = waiting.bzPopMin(k, 5).then((p) => { popped = p; }, (e) => { popped = e; });
    await until("blocked", async () => popped || !(await c.info("clients")).includes("blocked_clients:0\r\n"));
    if (popped instanceof Error) throw popped;
    await c.zAdd(k, { score: 7, value: "job" });
    await within("pop", pop);
    expect("BZPOPMIN", popped, { key: k, value: "job", score: 7 });
    waiting.destroy();
  },
  async tracking() {
    const k = key("tracked");
    await c.zAdd(k, { score: 1, value: "m" });
    const caching = await open({ RESP: 3, clientSideCache: { ttl: 0, maxEntries: 0, evictPolicy: "LRU" } });
    expect("first read", await caching.zScore(k, "m"), 1);
    expect("cached read", await caching.zScore(k, "m"), 1);
    await c.zAdd(k, { score: 2, value: "m" });
    await until("invalidation", async () => (await caching.zScore(k, "m")) === 2);
    caching.destroy();
  },
  async pubsub() {
    const sub = await open();
    const heard = new Promise((resolve) => sub.pSubscribe(key("news.*"), (message, channel) => resolve([channel, message])).catch((e) => resolve(e)));
    await until("subscriber", async () => (await c.publish(key("news.a"), "hello")) === 1);
    expect("message", await within("message", heard), [key("news.a"), "hello"]);
    sub.destroy();
  },
  async scan() {
    let n = 0;
    for await (const page of c.zScanIterator(key("pipe"), { COUNT: 50 })) n += Array.isArray(page) ? page.length : 1;
    if (n < 500) throw new Error(`ZSCAN saw ${n} of 500`);
  },
});
