/** For variants.slow.test.ts: connects, calls once, and prints `{ reply, failures }`. */
import { connectRedis, redisScript } from "../../../src/system/redis/connection.ts"

const failures: string[] = []
const connection = connectRedis({
  url: process.argv[2] ?? "",
  timeoutMs: 5_000,
  onLost: ({ message }) => failures.push(message),
  onBack: () => {},
})
await connection.ready
const reply = await connection.run(redisScript("return 7"), "mds:x")
connection.close()
process.stdout.write(JSON.stringify({ reply: reply ?? null, failures }))
