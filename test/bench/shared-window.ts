/**
 * What a window shared through Redis costs: `bun test/bench/shared-window.ts`. Needs redis-server or
 * valkey-server.
 *
 * Times are those of this machine, which the server shares with us; what counts is how many bare
 * round trips a decision costs. Rounds of the two take turns, so that both see the same machine.
 */

import {
  accountLayout,
  addressLayout,
  createSharedWindow,
} from "../../src/access/window/shared-window.ts"
import { createWindowStore } from "../../src/access/window/sliding-window.ts"
import { exactRuns, resolutionMs } from "../../src/access/window/timestamp-resolution.ts"
import { windowArguments, windowScript } from "../../src/access/window/window-script.ts"
import { connectRedis } from "../../src/redis/connection.ts"
import { redisScript } from "../../src/redis/script.ts"
import { redisServer } from "../support/redis.ts"

const HOUR_MS = 3_600_000
const UNREACHED = 10_000

function report(name: string, figure: string): void {
  process.stdout.write(`${name.padEnd(72)}${figure.padStart(16)}\n`)
}

const server = await redisServer()
const redis = connectRedis({
  url: server.url,
  answerWithinMs: 10_000,
  onLost: (failure) => report("lost", failure.message),
  onBack: () => {},
})
await redis.ready
const shared = createSharedWindow({
  redis,
  local: createWindowStore({ windowMs: HOUR_MS, maxBytes: 100_000_000 }),
  windowMs: HOUR_MS,
  layout: accountLayout,
  now: () => new Date(),
})
const ping = new Bun.RedisClient(server.url)
const nothing = redisScript("return 1")

/** Microseconds a call, the median of the rounds. */
async function costs(cases: Record<string, () => Promise<unknown>>, inFlight: number) {
  const rounds = 15
  const calls = 2000
  const taken = Object.keys(cases).map(() => [] as number[])
  for (let round = 0; round < rounds; round++) {
    for (const [index, call] of Object.values(cases).entries()) {
      const started = performance.now()
      for (let done = 0; done < calls; done += inFlight) {
        await Promise.all(Array.from({ length: inFlight }, call))
      }
      taken[index]?.push(((performance.now() - started) * 1000) / calls)
    }
  }
  return taken.map((each) => each.sort((a, b) => a - b)[rounds >> 1] ?? 0)
}

let account = 0
for (const inFlight of [1, 50]) {
  let call = 0
  const [pings = 1, scripts = 0, decisions = 0] = await costs(
    {
      ping: () => ping.ping(),
      script: () => redis.run(nothing, ["key"], ["1000", "3600000", "1", "admit"]),
      // An account is left before it is full, so that each call asks Redis and is admitted.
      admit: () => shared.admit(`${inFlight} ${account + Math.floor(call++ / 900)}`, UNREACHED),
    },
    inFlight,
  )
  account += 1000
  report(`PING, ${inFlight} in flight`, `${pings.toFixed(1)} µs`)
  report(`a script that does nothing, ${inFlight} in flight`, `${scripts.toFixed(1)} µs`)
  report(`admit, ${inFlight} in flight`, `${decisions.toFixed(1)} µs`)
  report("admit in round trips of PING", (decisions / pings).toFixed(2))
}

/** Calls of each command since the last reset, and what one evaluation takes in the server. */
async function commands() {
  const stats = String(await server.cli("INFO", "commandstats"))
  const counted = [...stats.matchAll(/cmdstat_(\w+):calls=(\d+),usec=(\d+)/g)]
  return new Map(counted.map(([, name = "", calls, usec]) => [name, [Number(calls), Number(usec)]]))
}

async function reportCommands(name: string, work: () => Promise<unknown>, calls: number) {
  await server.cli("CONFIG", "RESETSTAT")
  await work()
  const counted = await commands()
  const each = [...counted].filter(([command]) => !["config", "info", "hello"].includes(command))
  report(name, "")
  for (const [command, [count = 0]] of each) {
    report(`  ${command}`, `${(count / calls).toFixed(3)}`)
  }
  const [evaluations = 0, usec = 0] = counted.get("evalsha") ?? []
  report("  time in the server", `${(usec / evaluations).toFixed(1)} µs`)
}

await reportCommands(
  "commands for each of 1,000 admitted requests of one account",
  async () => {
    for (let call = 0; call < 1000; call++) await shared.admit("counted", UNREACHED)
  },
  1000,
)

const clock = `redis.call("TIME")`
const timed = redisScript(windowScript.source.replace(clock, "{ 0, ARGV[7] }"))
const atTime = (key: string, limit: number, atMs: number) =>
  redis.run(
    timed,
    [key],
    [
      ...windowArguments({ limit, windowMs: HOUR_MS, intent: "admit", maxExactRuns: exactRuns }),
      String(atMs * 1000),
    ],
  )
const startMs = Math.ceil(Date.now() / 360) * 360

const gapMs = HOUR_MS / 1000
for (let call = 0; call < 1000; call++) await atTime("full 1000", 1000, startMs + call * gapMs)
await reportCommands(
  "the same where the window is full, and one leaves as one comes",
  async () => {
    for (let call = 1000; call < 2000; call++) {
      await atTime("full 1000", 1000, startMs + call * gapMs)
    }
  },
  1000,
)

const memory = async (key: string) =>
  Number(await server.cli("MEMORY", "USAGE", key, "SAMPLES", "0"))
report("memory of a full log of 1,000", `${await memory("full 1000")} B`)

const limit = 1_000_000
const resolution = resolutionMs(limit, HOUR_MS)
for (let run = 0; run < exactRuns; run++) {
  const calls = Array.from({ length: 100 }, () => atTime("full", limit, startMs + run * resolution))
  await Promise.all(calls)
}
report("memory of a full log of a million", `${await memory("full")} B`)
await reportCommands(
  "all but one run of it leave at once",
  () => atTime("full", limit, startMs + (exactRuns - 1) * resolution + HOUR_MS - 1),
  1,
)
for (let run = 0; run < 10_000; run++) await atTime("exact", 10_000, startMs + run)
report("memory of a full log of 10,000", `${await memory("exact")} B`)

await server.cli("FLUSHALL")
const used = async () =>
  Number(/used_memory:(\d+)/.exec(String(await server.cli("INFO", "memory")))?.[1])
const before = await used()
const slots = createSharedWindow({
  redis,
  local: createWindowStore({ windowMs: HOUR_MS, maxBytes: 10_000_000 }),
  windowMs: HOUR_MS,
  layout: addressLayout,
  now: () => new Date(),
})
for (const addresses of [1_000_000, 2_000_000]) {
  for (let sent = addresses - 1_000_000; sent < addresses; sent += 1000) {
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => slots.admit(`${sent + index}`, 1000)),
    )
  }
  const usedMB = ((await used()) - before) / 1_000_000
  report(`memory after ${addresses} random addresses`, `${usedMB.toFixed(1)} MB`)
}
report("  in keys", String(await server.cli("DBSIZE")))

ping.close()
redis.close()
await server.stop()
