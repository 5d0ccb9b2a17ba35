/**
 * Reaps orphaned processes where this one is process 1, as in a container without `--init`. They become
 * its children when their parents die: the embedded server's supervisor, the backends of a server that
 * was killed. Once they end, they would stay as zombies, each with a process id, of which a container
 * has a limited number.
 */
import { dlopen } from "bun:ffi"
import { readdirSync, readFileSync } from "node:fs"
import { logToStderr } from "./terminal.ts"

const noHang = 1

/**
 * Does nothing where this process is not the first one. Bun waits for the processes that it has started
 * itself, as soon as they end, and must learn their exit code: so only what is still a zombie at the
 * next scan is reaped.
 */
export function reapOrphans(scanEveryMs = 5_000): void {
  if (process.platform !== "linux" || process.pid !== 1) return
  const waitpid = loadWaitpid()
  if (!waitpid) return
  let before: readonly number[] = []
  setInterval(() => {
    const found = zombies()
    for (const pid of found.filter((each) => before.includes(each))) waitpid(pid, null, noHang)
    before = found
  }, scanEveryMs).unref()
}

function loadWaitpid() {
  try {
    const waitpid = { args: ["i32", "ptr", "i32"], returns: "i32" } as const
    return dlopen("libc.so.6", { waitpid }).symbols.waitpid
  } catch (error) {
    logToStderr(`Cannot reap orphaned processes, run the container with --init: ${error}`)
    return undefined
  }
}

/** Children of this process that have ended. */
function zombies(): number[] {
  return processes()
    .filter((name) => /^\d+$/.test(name) && isZombie(name))
    .map(Number)
}

function processes(): string[] {
  try {
    return readdirSync("/proc")
  } catch {
    return [] // not mounted, or out of file descriptors
  }
}

function isZombie(pid: string): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // After the program's name, which may contain anything: its state and its parent.
    return stat.slice(stat.lastIndexOf(")") + 2).startsWith(`Z ${process.pid} `)
  } catch {
    return false // it is gone
  }
}
