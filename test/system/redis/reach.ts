/** Connects to a server and calls once. As a program it prints the outcome. */
import { connectRedis, redisScript } from "../../../src/system/redis/connection.ts"

export async function reach(url: string) {
  const failures: string[] = []
  const connection = connectRedis({
    url,
    timeoutMs: 5_000,
    onLost: ({ message }) => failures.push(message),
    onBack: () => {},
  })
  await connection.ready
  const write = redisScript(`return redis.call("INCRBY", KEYS[1], 3)`)
  const reply = (await connection.run(write, "mds:variant")) ?? null
  connection.close()
  return { reply, failures }
}

if (import.meta.main) process.stdout.write(JSON.stringify(await reach(process.argv[2] ?? "")))
