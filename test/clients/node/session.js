// session.js runs the steps of a client's session and prints a line of JSON for each: {"feature", "error"}.

export const limiter = `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
redis.call('ZADD', KEYS[1], ARGV[1], ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[2])
return 1`;

export const [host, port] = process.argv[2].split(":");

export function expect(what, got, want) {
  const text = JSON.stringify(got);
  if (text !== JSON.stringify(want)) throw new Error(`${what}: got ${text}, want ${JSON.stringify(want)}`);
}

// within fails when promise takes longer than a few seconds.
export function within(what, promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error(`${what}: nothing in 5 s`)), 5000); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// until asks again until the answer is yes. Between two it lets the sockets have their turn: an answer may come from a
// cache.
export async function until(what, ask) {
  const end = Date.now() + 5000;
  while (!(await ask())) {
    if (Date.now() > end) throw new Error(`${what}: not in 5 s`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export async function run(steps) {
  for (const [feature, step] of Object.entries(steps)) {
    let error = "";
    try {
      await within(feature, step());
    } catch (e) {
      error = String(e?.errorReplies?.[0] ?? e?.previousErrors?.[0] ?? e?.message ?? e) || "failed";
    }
    console.log(JSON.stringify({ feature, error }));
    if (feature === "connect" && error) break;
  }
  process.exit(0);
}
