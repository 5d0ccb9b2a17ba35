/** One of the processes that serve on the port together. */
import type { Command } from "commander"
import type { Config } from "../../config.ts"
import type { Service, StopOptions } from "../../service.ts"
import { type Database, openCurrent } from "../database.ts"
import { logFlushMs, openLog } from "../serving-log.ts"
import { ignoreOutputErrors } from "../standard-streams.ts"
import { logToStderr } from "../terminal.ts"
import type { FromWorker, ToWorker } from "./messages.ts"

export function addWorkerCommand(program: Command, config: () => Config): void {
  program
    .command("worker", { hidden: true })
    .description("serve on a port together with others; `mds serve` starts these with WORKERS")
    .action(async function (this: Command) {
      const send = process.send?.bind(process)
      if (!send) this.error("A worker is started by `mds serve` with WORKERS")
      ignoreOutputErrors()
      const stop = stopOnRequest()
      const settings = config()
      const [database] = await Promise.all([openCurrent(settings), import("../../service.ts")])
      const url = await serve(settings, database, stop)
      send({ serving: url } satisfies FromWorker)
    })
}

type Stop = (options: StopOptions) => Promise<void>

async function serve(config: Config, { url }: Database, stop: { by: Stop }): Promise<string> {
  const { startService } = await import("../../service.ts")
  const now = () => new Date()
  const { log, buffer } = openLog(config, now)
  let service: Service
  try {
    service = await startService({
      config,
      databaseUrl: config.DATABASE_URL ?? url,
      log,
      logBuffer: buffer.readings,
      now,
      reusePort: true,
    })
  } catch (error) {
    await buffer.flush(logFlushMs)
    throw error
  }
  stop.by = async (options) => {
    await service.stop(options)
    await buffer.flush(logFlushMs)
  }
  return service.url
}

/**
 * A signal of the terminal reaches every process that was started from it, so that only `serve` acts on
 * it, and notifies its workers. SIGTERM is meant for this one: another worker is started in its place.
 */
function stopOnRequest(): { by: Stop } {
  const stop: { by: Stop } = { by: async () => {} }
  let stopping = false
  const end = async (options: StopOptions): Promise<void> => {
    if (stopping) return
    stopping = true
    await stop.by(options)
    process.exit(0)
  }
  for (const signal of ["SIGINT", "SIGHUP"] as const) process.on(signal, () => {})
  process.on("SIGTERM", () => end({ isReplaced: true }))
  process.on("message", ({ stop: how }: ToWorker) => end({ isReplaced: how === "replaced" }))
  process.on("disconnect", () => {
    if (!stopping) logToStderr("A worker ends, because the process that started it has ended")
    // At once, so that the next service can listen on the port.
    end({ delaySeconds: 0 })
  })
  return stop
}
