/** The program as a process of its own, as an operator starts it. */
import { closeSync, constants, openSync, readSync, unlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePort } from "./supervised.ts"
import { until } from "./until.ts"

const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export type ServiceProcess = Awaited<ReturnType<typeof serviceProcess>>

/**
 * Starts serving on a free port and waits until it does. Call its `stop` in `afterAll`.
 * @param program of another version
 */
export async function serviceProcess(settings: Record<string, string>, program = main) {
  const child = start(["serve"], { PORT: "0", ...settings }, program)
  const log = collect(child.stdout)
  const messages = collect(child.stderr)
  const url = await messages.find(/Serving (http:\S+)\/api\/v1/)
  const stop = async () => {
    child.kill("SIGINT")
    await child.exited
  }
  return {
    url,
    pid: child.pid,
    exited: child.exited,
    kill: (signal: NodeJS.Signals) => child.kill(signal),
    /** What it has logged so far, parsed. */
    logged: () => log.lines().map((line): Record<string, unknown> => JSON.parse(line)),
    get: (path: string, token: string) =>
      fetch(`${url}/api/v1${path}`, { headers: { Authorization: `Bearer ${token}` } }),
    /** Ends it as Ctrl-C does. */
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** The destination of a process's standard output or error: a descriptor of the test. */
export interface OutputEnd {
  /** For the process; the test's own copy is closed by `closeCopy` once the process has its. */
  descriptor: number
  closeCopy(): void
}

/** A disk without room: each write fails with ENOSPC. */
export const fullDisk = (): OutputEnd => outputEnd(openSync("/dev/full", "w"))

/** A pipe that nobody reads until the test does. */
export function unreadPipe() {
  const path = join(tmpdir(), `mds-test-pipe-${crypto.randomUUID()}`)
  Bun.spawnSync(["mkfifo", path])
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const end = outputEnd(openSync(path, "w"))
  unlinkSync(path)
  const buffer = Buffer.alloc(65_536)
  return {
    ...end,
    /** What has been written since it was last read, at most as much as a pipe holds. */
    read: (): string => {
      try {
        return buffer.toString("utf8", 0, readSync(reader, buffer))
      } catch (error) {
        if ((error as { code?: unknown }).code === "EAGAIN") return ""
        throw error
      }
    },
    /** From now on each write fails with EPIPE. */
    closeReader: () => closeSync(reader),
  }
}

const outputEnd = (descriptor: number): OutputEnd => ({
  descriptor,
  closeCopy: () => closeSync(descriptor),
})

/** Starts serving, alone or by a wrapper, with its output going where `output` says, and waits until it serves. */
export async function detachedProcess(
  settings: Record<string, string>,
  output: { stdout?: OutputEnd; stderr?: OutputEnd } = {},
  { script = [main, "serve"], wrapper = [] as string[] } = {},
) {
  const port = freePort()
  const child = Bun.spawn([...wrapper, process.execPath, ...script], {
    env: { ...process.env, ...settings, PORT: String(port) },
    stdin: "ignore",
    stdout: output.stdout?.descriptor ?? "ignore",
    stderr: output.stderr?.descriptor ?? "ignore",
  })
  for (const end of new Set(Object.values(output))) end.closeCopy()
  const url = `http://127.0.0.1:${port}`
  await until(() => {
    if (child.exitCode !== null) throw new Error(`It ended with exit code ${child.exitCode}`)
    return responds(url)
  }, 60_000)
  return { url, port, child }
}

const responds = (url: string): Promise<boolean> =>
  fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  )

/** Runs a command to its end. */
export async function command(
  args: readonly string[],
  settings: Record<string, string>,
  program = main,
) {
  const child = start(args, settings, program)
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()])
  return { exitCode: await child.exited, stdout, stderr }
}

const start = (args: readonly string[], settings: Record<string, string>, program = main) =>
  Bun.spawn([process.execPath, program, ...args], {
    env: { ...process.env, ...settings },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  })

/** Reads a stream to its end, and finds text in what there is so far. */
export function collect(stream: ReadableStream<Uint8Array>) {
  let text = ""
  let ended = false
  let onMore = (): void => {}
  const read = async (): Promise<string> => {
    const decoder = new TextDecoder()
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true })
      onMore()
    }
    ended = true
    onMore()
    return text
  }
  return {
    /** All of it, at its end. */
    whole: read(),
    /** All whole lines so far. */
    lines: () => text.split("\n").slice(0, -1),
    /** The pattern's first group, once it is there. */
    find: (pattern: RegExp) =>
      new Promise<string>((resolve, reject) => {
        onMore = () => {
          const [, found] = pattern.exec(text) ?? []
          if (found !== undefined) resolve(found)
          else if (ended) reject(new Error(`It ended without ${pattern}: ${text}`))
        }
        onMore()
      }),
  }
}
