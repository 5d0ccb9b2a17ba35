/** The processes that the benchmark starts, and the resources that each uses. */
import { readFileSync, writeFileSync } from "node:fs"
import { collect } from "../support/process.ts"

export type Variables = Readonly<Record<string, string>>

export interface ServerProcess {
  url: string
  pid: number
  stop(): Promise<void>
}

const running = new Set<Bun.Subprocess>()

// However the benchmark ends, no process outlives it.
process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL")
})

export interface ServerOptions {
  cwd: string
  settings: Variables
  /** The stream on which it prints its URL. */
  announcesOn: "stdout" | "stderr"
}

/** Starts a server and waits until it prints its URL. Other standard output is discarded. */
export async function startServer(
  command: string[],
  { cwd, settings, announcesOn }: ServerOptions,
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
  return {
    url: await collect(output).find(/(?:Serving|Listening on) (http:\/\/[^\s/]+)/),
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

export interface Finished {
  stdout: string
  seconds: number
}

/** Runs a program to its end. @throws Error with its own message if it fails */
export async function runToEnd(
  command: string[],
  { cwd, settings = {}, stdin = "" }: { cwd?: string; settings?: Variables; stdin?: string } = {},
): Promise<Finished> {
  const startedMs = performance.now()
  const child = Bun.spawn(command, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...settings },
    stdin: new Blob([stdin]),
    stdout: "pipe",
    stderr: "pipe",
  })
  running.add(child)
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

/** The resident memory of a process, now or at its peak, in MB. */
export function memoryOf(pid: number, when: "now" | "peak"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const pattern = when === "now" ? /^VmRSS:\s+(\d+) kB/m : /^VmHWM:\s+(\d+) kB/m
  return Number(pattern.exec(status)?.[1]) / 1024
}

/** Lets the peak of a process begin anew. */
export const resetPeak = (pid: number): void => writeFileSync(`/proc/${pid}/clear_refs`, "5")

const ticksInSecond = 100

/** The CPU time that a process has used so far, in all its threads. */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  // The name, in parentheses, may contain spaces; user and system time are the 12th and 13th after it.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) / ticksInSecond
}

/** Runs a command of psql, such as `\\copy`, and a shell command on its output. */
export const psql = (url: string, command: string, pipe = "cat > /dev/null"): Promise<Finished> =>
  runToEnd([
    ...["/bin/bash", "-o", "pipefail", "-c"],
    `psql -X -q -v ON_ERROR_STOP=1 -c "$1" "$2" | ${pipe}`,
    ...["psql", command, url],
  ])
