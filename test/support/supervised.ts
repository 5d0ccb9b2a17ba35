/**
 * A server program for a test. It runs under a small shell that reads a pipe which this process holds
 * open for writing. The kernel closes the pipe however this process ends, and the shell then kills the
 * server.
 */
import { readdirSync, readFileSync } from "node:fs"
import { relative } from "node:path"

export type Supervised = Awaited<ReturnType<typeof startSupervised>>

// Its arguments are the server's command. `read` ends with the pipe. Until the shell has waited for
// the server, the server's process id belongs to nobody else. It is a shell within a shell because
// `bun test` kills the one that it knows of when a test takes too long.
const SUPERVISOR = `
exec 3<&0
(
  "$@" </dev/null >/dev/null 2>&1 3<&- &
  server=$!
  echo "$server"
  read -r _ <&3
  kill -KILL "$server"
  wait "$server"
) &
wait
`

/** Starts `command` and resolves when it runs, which is before it is ready. */
export async function startSupervised(name: string, command: string[]) {
  const shell = Bun.spawn(["/bin/sh", "-c", SUPERVISOR, `mds-test-${name}`, ...command], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
  })
  const { value } = await shell.stdout.getReader().read()
  return {
    pid: Number.parseInt(new TextDecoder().decode(value), 10),
    /** As by kill -9; resolves when the process has ended. */
    end: async () => {
      shell.stdin.end()
      await shell.exited
    },
  }
}

/** Whether a process runs, on Linux. Not so of one that has ended and was not waited for. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))
  } catch {
    return false
  }
}

/** The processes that a process has started, on Linux; those too that have ended and were not waited for. */
export function childrenOf(pid: number): number[] {
  // Not from /proc/PID/task/PID/children, which may lack some where another ends meanwhile.
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid)
    .map(Number)
}

function parentOf(pid: string): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    return Number(stat.slice(stat.lastIndexOf(")")).split(" ")[2])
  } catch {
    return undefined
  }
}

/** The path of the first of these programs that is installed. Without any, null, and a line that tells of the tests left out. */
export function installedProgram(...names: string[]): string | null {
  const path = names.map((name) => Bun.which(name)).find((found) => found !== null) ?? null
  if (path === null) process.stderr.write(`Tests left out for want of ${names.join(" or ")}\n`)
  return path
}

/** Reports a test file that is skipped because something is missing. */
export function reportSkipped(path: string, missing: string): void {
  process.stderr.write(`Left out for want of ${missing}: ${relative(process.cwd(), path)}\n`)
}

/**
 * Below the range from which Linux takes the ports of outgoing connections: one of those could take
 * the port while its server is down, and a client that tries to reach it could reach itself.
 */
export function freePort(): number {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 20_000)
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // It is taken: try another.
    }
  }
}
