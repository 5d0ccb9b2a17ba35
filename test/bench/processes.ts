/** The processes that the benchmark starts, and what they use. */
import { existsSync, readFileSync, writeFileSync } from "node:fs"

export const repository = Bun.fileURLToPath(new URL("../..", import.meta.url))
const main = Bun.fileURLToPath(new URL("../../src/main.ts", import.meta.url))

export type Variables = Readonly<Record<string, string>>

export interface ServerProcess {
  url: string
  pid: number
  stop(): Promise<void>
}

const running = new Set<Bun.Subprocess>()

/** Ends all that still run, so that whoever waits for them fails. */
export function killRunning(): void {
  for (const child of running) child.kill("SIGKILL")
}

// However the benchmark ends, what it has started ends with it.
process.on("exit", killRunning)

/** The service of this checkout, once it serves. Its log goes to /dev/null. */
export const startService = (databaseUrl: string, settings: Variables = {}) =>
  startServer(commandOfService("serve"), {
    announcesOn: "stderr",
    settings: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: "",
      PORT: "0",
      SHUTDOWN_DELAY_SECONDS: "0",
      SHUTDOWN_SECONDS: "1",
      ...settings,
    },
  })

export const commandOfService = (...args: string[]): string[] => [process.execPath, main, ...args]

export interface ServerOptions {
  cwd?: string
  settings: Variables
  /** Where it prints its URL; what it prints on standard output otherwise is discarded. */
  announcesOn: "stdout" | "stderr"
}

/** Starts a server, and waits until it announces its URL. */
export async function startServer(
  command: string[],
  { cwd = repository, settings, announcesOn }: ServerOptions,
): Promise<ServerProcess> {
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...settings },
    stdin: "ignore",
    stdout: announcesOn === "stdout" ? "pipe" : "ignore",
    stderr: announcesOn === "stderr" ? "pipe" : "inherit",
  })
  running.add(child)
  const output = child[announcesOn]
  if (!output) throw new Error(`${command.join(" ")} has no output`)
  const url = await announcedUrl(output, command)
  return {
    url,
    pid: child.pid,
    stop: async () => {
      child.kill("SIGINT")
      const killer = setTimeout(() => child.kill("SIGKILL"), 15_000)
      await child.exited
      clearTimeout(killer)
      running.delete(child)
    },
  }
}

/** Reads to the URL, and goes on reading so that the process can go on writing. */
function announcedUrl(output: ReadableStream<Uint8Array>, command: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ""
    const read = async (): Promise<void> => {
      const decoder = new TextDecoder()
      for await (const chunk of output) {
        text = (text + decoder.decode(chunk, { stream: true })).slice(-10_000)
        const [, url] = /(?:Serving|Listening on) (http:\/\/[^\s/]+)/.exec(text) ?? []
        if (url !== undefined) resolve(url)
      }
      reject(new Error(`${command.join(" ")} ended: ${text.trim()}`))
    }
    read().catch(reject)
  })
}

export interface Finished {
  stdout: string
  seconds: number
}

export interface RunOptions {
  cwd?: string
  environment?: Variables
  stdin?: string
  /** Called with the process id once it runs. */
  onStarted?: (pid: number) => void
}

/** Runs a program to its end. @throws Error with what it reported, where it fails */
export async function runToEnd(
  command: string[],
  { cwd = repository, environment = {}, stdin = "", onStarted = () => {} }: RunOptions = {},
): Promise<Finished> {
  const startedMs = performance.now()
  const child = Bun.spawn(command, {
    cwd,
    env: { ...process.env, ...environment },
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  })
  running.add(child)
  onStarted(child.pid)
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  running.delete(child)
  if (exitCode !== 0) {
    throw new Error(`${command[0]} ended with exit code ${exitCode}: ${(stderr || stdout).trim()}`)
  }
  return { stdout, seconds: (performance.now() - startedMs) / 1000 }
}

/** Whether the memory and the time of processes can be read, as on Linux. */
export const procIsReadable = existsSync("/proc/self/status")

/** What a process has in memory, or has had at most, in MB (2^20 bytes). */
export function memoryOf(pid: number, what: "now" | "peak"): number {
  const name = what === "now" ? "VmRSS" : "VmHWM"
  const [, kilobytes] =
    new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8")) ??
    []
  return Number(kilobytes) / 1024
}

const ticksInSecond = 100

/** The time that a process has computed so far, in all its threads. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The name, in parentheses, may contain spaces; user and system time are the 12th and 13th after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / ticksInSecond
}

/** Lets the peak of a process begin anew. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5")

/** Follows the peak of a process until it has ended. @returns reads what was found, in MB */
export function followPeak(pid: number): () => number {
  let peak = 0
  const timer = setInterval(() => {
    try {
      peak = Math.max(peak, memoryOf(pid, "peak") || 0)
    } catch {
      clearInterval(timer) // It has ended.
    }
  }, 20)
  return () => {
    clearInterval(timer)
    return peak
  }
}
