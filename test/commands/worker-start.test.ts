/** Workers that cannot be started are tried again, for as long as it takes, and each failure is logged. */
import { expect, test } from "bun:test"
import { ensureSupported } from "../../src/commands/workers/serve-by-workers.ts"
import { startWorker, type WorkerProcess } from "../../src/commands/workers/worker-process.ts"
import { createWorkers } from "../../src/commands/workers/workers.ts"
import { createLog } from "../../src/log/log.ts"
import { until } from "../support/until.ts"

test("where Linux does not share a port among processes, more than one are refused", () => {
  expect(() => ensureSupported("linux")).not.toThrow()
  expect(() => ensureSupported("darwin")).toThrow(
    "Cannot use the settings:\nWORKERS requires Linux: elsewhere one of the processes on a port gets all connections",
  )
})

test("one that the system does not start has ended, with the reason", async () => {
  // A process cannot be given such an environment.
  const worker = startWorker({ environment: { NAME: "a\0b" }, onLine: () => {} })
  await expect(worker.serving).rejects.toThrow()
  expect(await worker.exited).toMatchObject({ exit_code: null, reason: expect.any(String) })
})

test("a worker that has ended is started until one serves", async () => {
  const lines: string[] = []
  const ends: (() => void)[] = []
  let started = 0
  /** Runs until it is ended. */
  const running = (): WorkerProcess => {
    const { promise, resolve } = Promise.withResolvers<{ exit_code: number; signal: null }>()
    const end = () => resolve({ exit_code: 1, signal: null })
    ends.push(end)
    const stop = async () => end()
    return { pid: started, serving: Promise.resolve("url"), exited: promise, stop, kill: end }
  }
  const failing = () => startWorker({ environment: { NAME: "a\0b" }, onLine: () => {} })
  const workers = createWorkers({
    count: 1,
    startWorker: () => {
      started++
      return started === 2 ? failing() : running()
    },
    stopWithinMs: 1_000,
    log: createLog(
      (line) => lines.push(line),
      () => new Date(0),
    ),
  })
  expect(await workers.start()).toBe("url")
  ends[0]?.()
  await until(() => lines.length === 3)
  const logged = lines.map((line): Record<string, unknown> => JSON.parse(line))
  expect(logged).toMatchObject([
    { event: "a worker has ended; starting it again", worker: 1, pid: 1, after_seconds: 0 },
    { event: "a worker has ended; starting it again", worker: 1, pid: null, after_seconds: 1 },
    { event: "a worker serves again", worker: 1, pid: 3 },
  ])
  await workers.stop()
})
