/**
 * Keeps a number of workers running: each that ends is started again, after longer and longer pauses where
 * it ends soon after its start.
 */
import { describeError, type Log } from "../../log/log.ts"
import type { WorkerProcess } from "./worker-process.ts"

export interface Workers {
  /**
   * Starts all. Resolves to their URL when each serves, and to undefined where they are stopped before.
   * @throws WorkerError where one does not start
   */
  start(): Promise<string | undefined>
  /**
   * Replaces one worker after another, each by one that serves already. Ends where a new one does not
   * start: the others stay as they are. Begins when all have started and an earlier one has ended.
   */
  replaceAll(): Promise<void>
  /** Resolves when all have ended. */
  stop(): Promise<void>
  /** Ends all at once. */
  kill(): void
}

export interface WorkersOptions {
  count: number
  /** @param id from 1 */
  startWorker: (id: number) => WorkerProcess
  /** How long a worker may take to end. */
  stopWithinMs: number
  log: Log
}

interface Slot {
  id: number
  /** Whose end is followed by another start. */
  worker: WorkerProcess
  startedMs: number
  /** Recent starts. */
  starts: number
}

/** A worker that has run for so long is started again without a pause. */
const stableMs = 60_000

export function createWorkers({ count, startWorker, stopWithinMs, log }: WorkersOptions): Workers {
  const running = new Set<WorkerProcess>()
  const slots: Slot[] = []
  const started = Promise.withResolvers<void>()
  let replacing: Promise<void> = started.promise
  let isWaiting = false
  const stopping = Promise.withResolvers<void>()
  let isStopping = false

  function launch(id: number): WorkerProcess {
    const worker = startWorker(id)
    running.add(worker)
    worker.exited.then(() => running.delete(worker))
    // A failure is handled where it is awaited, which may be nowhere.
    worker.serving.catch(() => {})
    return worker
  }

  function put(worker: WorkerProcess, { id, starts }: Pick<Slot, "id" | "starts">): Slot {
    const slot = { id, worker, startedMs: performance.now(), starts }
    slots[id - 1] = slot
    return slot
  }

  async function follow(slot: Slot): Promise<void> {
    const { id, worker } = slot
    const end = await worker.exited
    if (isStopping || slots[id - 1] !== slot) return
    const starts = performance.now() - slot.startedMs > stableMs ? 0 : slot.starts
    const pauseMs = pauseAfter(starts)
    log.error("a worker has ended; starting it again", {
      worker: id,
      pid: worker.pid,
      ...end,
      after_seconds: pauseMs / 1000,
    })
    await Promise.race([Bun.sleep(pauseMs), stopping.promise])
    if (isStopping || slots[id - 1] !== slot) return
    const next = put(launch(id), { id, starts: starts + 1 })
    follow(next)
    await next.worker.serving.then(
      () => log.info("a worker serves again", { worker: id, pid: next.worker.pid }),
      () => next.worker.kill(),
    )
  }

  async function replaceEach(): Promise<void> {
    for (const { id } of [...slots]) {
      if (isStopping) return
      const next = launch(id)
      try {
        await next.serving
      } catch (error) {
        next.kill()
        if (isStopping) return
        log.error("a new worker did not start: the restart is given up, and the others go on", {
          worker: id,
          ...describeError(error),
        })
        return
      }
      const old = slots[id - 1]?.worker
      follow(put(next, { id, starts: 0 }))
      await old?.stop("replaced", stopWithinMs)
      log.info("a worker was replaced", { worker: id, pid: next.pid, before: old?.pid ?? null })
    }
  }

  return {
    start: async () => {
      const ids = Array.from({ length: count }, (_, index) => index + 1)
      for (const id of ids) put(launch(id), { id, starts: 0 })
      try {
        const [url] = await Promise.all(slots.map(({ worker }) => worker.serving))
        for (const slot of slots) follow(slot)
        started.resolve()
        return url
      } catch (error) {
        if (isStopping) return undefined
        throw error
      }
    },
    replaceAll: () => {
      // What waits to begin will start its workers later than this call.
      if (isWaiting) return replacing
      isWaiting = true
      replacing = replacing.then(() => {
        isWaiting = false
        return replaceEach()
      })
      return replacing
    },
    stop: async () => {
      isStopping = true
      stopping.resolve()
      await Promise.all([...running].map((worker) => worker.stop("service", stopWithinMs)))
    },
    kill: () => {
      isStopping = true
      for (const worker of running) worker.kill()
    },
  }
}

/** The backoff before the next start after so many recent ones: 0, 1, 2, 4 … 30 seconds. */
const pauseAfter = (starts: number): number =>
  starts === 0 ? 0 : Math.min(1000 * 2 ** (starts - 1), 30_000)
