/**
 * What callers notice when Redis is frozen and killed under load: `bun test/bench/redis-lost.ts`.
 *
 * Two processes of the service share a real Redis; twenty callers ask both without pause, each for
 * an account whose limit it does not reach.
 */
import { serviceProcess } from "../support/process.ts"
import { redisServer } from "../support/redis.ts"
import { testService } from "../support/service.ts"

const callers = 20
const phaseMs = 5_000

const service = await testService()
const redis = await redisServer()
const settings = { DATABASE_URL: service.database.url, REDIS_URL: redis.url }
const processes = [await serviceProcess(settings), await serviceProcess(settings)]

let latenciesMs: number[] = []
let failures = 0
let stopped = false

async function call(index: number): Promise<void> {
  const token = await service.issueWithLimit(100_000_000)
  for (let request = index; !stopped; request++) {
    const of = processes[request % processes.length]
    const startedMs = performance.now()
    const answer = await of?.get("/companies/BIG", token)
    await answer?.arrayBuffer()
    latenciesMs.push(performance.now() - startedMs)
    if (answer?.status !== 200) failures++
  }
}

async function phase(name: string, at: () => unknown = () => {}): Promise<void> {
  latenciesMs = []
  failures = 0
  await at()
  await Bun.sleep(phaseMs)
  const sorted = latenciesMs.toSorted((a, b) => a - b)
  const quantile = (share: number) =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1)
  process.stdout.write(
    `${name.padEnd(40)}${String(sorted.length).padStart(7)} requests, ${failures} not 200; ms: median ${quantile(0.5)}, 99% ${quantile(0.99)}, slowest ${quantile(1)}\n`,
  )
}

async function recovery(name: string, mend: () => Promise<void> | void): Promise<void> {
  await mend()
  const startedMs = performance.now()
  for (const { url } of processes) {
    for (;;) {
      const ready = (await (await fetch(`${url}/health/ready`)).json()) as { redis: string }
      if (ready.redis === "answering") break
      await Bun.sleep(5)
    }
  }
  const tookMs = performance.now() - startedMs
  process.stdout.write(
    `${name.padEnd(40)}${tookMs.toFixed(0).padStart(7)} ms until both use it again\n`,
  )
}

const calling = Promise.all(Array.from({ length: callers }, (_, index) => call(index)))
await phase("warming up")
await phase("with Redis")
await phase("frozen (SIGSTOP), from the moment on", redis.freeze)
await recovery("thawed", redis.thaw)
await phase("with Redis again")
await phase("killed (SIGKILL), from the moment on", redis.kill)
await recovery("restarted", redis.restart)
await phase("with Redis again")

stopped = true
await calling
for (const each of processes) await each.stop()
await redis.stop()
await service.stop()
process.exit(0)
