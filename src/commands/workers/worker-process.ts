/** A worker, as seen by the process that has started it. */
import { settleWithin } from "../../text/settle-within.ts"
import { linesOf } from "../lines-of.ts"
import type { FromWorker, ToWorker } from "./messages.ts"
import { WorkerError } from "./worker-error.ts"

interface WorkerEnd {
  exit_code: number | null
  signal: Bun.Subprocess["signalCode"]
  /** Why it could not be started. */
  reason?: string
}

export interface WorkerProcess {
  pid: number | null
  /** Resolves to its URL once it serves. Rejects where it has ended before, or takes too long. */
  serving: Promise<string>
  /** Resolves when it has ended and its last lines were received. */
  exited: Promise<WorkerEnd>
  /** Resolves when it has ended, by force after `withinMs`. */
  stop(how: ToWorker["stop"], withinMs: number): Promise<void>
  kill(): void
}

export interface WorkerProcessOptions {
  environment: Readonly<Record<string, string | undefined>>
  /** Receives each line of its log, with its line break. */
  onLine: (line: string) => void
}

const main = Bun.fileURLToPath(new URL("../../main.ts", import.meta.url))
/** A database that does not answer is waited for by the worker itself, for less. */
const startWithinMs = 60_000

/** One that can't be started, as without file descriptors or memory, has ended at once. */
export function startWorker(options: WorkerProcessOptions): WorkerProcess {
  try {
    return spawnWorker(options)
  } catch (error) {
    return {
      pid: null,
      serving: Promise.reject(error),
      exited: Promise.resolve({ exit_code: null, signal: null, reason: String(error) }),
      stop: async () => {},
      kill: () => {},
    }
  }
}

function spawnWorker({ environment, onLine }: WorkerProcessOptions): WorkerProcess {
  const serving = Promise.withResolvers<string>()
  const child = Bun.spawn([process.execPath, main, "worker"], {
    env: environment,
    stdin: "ignore",
    // Not the same pipe for all: their lines would be mixed, as a pipe takes only 4 KB at once as a whole.
    stdout: "pipe",
    stderr: "inherit",
    serialization: "json",
    ipc: (message: FromWorker) => serving.resolve(message.serving),
  })
  const forwarded = forward(child.stdout, onLine)
  const kill = (): void => child.kill("SIGKILL")

  const exited = child.exited.then(async () => {
    await forwarded
    serving.reject(new WorkerError("Cannot serve: a worker has ended before it served"))
    return { exit_code: child.exitCode, signal: child.signalCode }
  })

  return {
    pid: child.pid,
    serving: settleWithin(
      startWithinMs,
      serving.promise,
      (limitMs) =>
        new WorkerError(`Cannot serve: a worker does not serve after ${limitMs / 1000} seconds`),
    ),
    exited,
    stop: async (how, withinMs) => {
      send({ stop: how })
      const late = setTimeout(kill, withinMs)
      await exited
      clearTimeout(late)
    },
    kill,
  }

  function send(message: ToWorker): void {
    try {
      child.send(message)
    } catch {
      // It has just ended.
    }
  }
}

async function forward(
  output: ReadableStream<Uint8Array>,
  onLine: (line: string) => void,
): Promise<void> {
  for await (const line of linesOf(output)) onLine(`${line}\n`)
}
