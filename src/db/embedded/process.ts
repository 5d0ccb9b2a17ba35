import { readFileSync, writeFileSync } from "node:fs"
import { basename, join } from "node:path"
import { codeOf } from "../../text/error-code.ts"

/** The contents of `postmaster.pid`, which PostgreSQL writes. */
export interface Postmaster {
  pid: number
  port: number
  status: string
}

// Above the largest pid of Linux and macOS, so that no process ever has it.
const noPid = "2147483647"

/** Reads a cluster's `postmaster.pid`; `undefined` when there is none or it is half written. */
export function readPostmaster(cluster: string): Postmaster | undefined {
  const lines = postmasterLines(cluster)
  const pid = Number(lines?.[0])
  if (!lines || !Number.isInteger(pid) || pid <= 0) return undefined
  return { pid, port: Number(lines[3]), status: lines[7]?.trim() ?? "" }
}

/** True while process `pid` is a PostgreSQL server that was started on `cluster`. */
export function servesCluster(pid: number, cluster: string): boolean {
  if (!alive(pid)) return false
  if (process.platform !== "linux") {
    const { stdout } = Bun.spawnSync(["ps", "-ww", "-o", "command=", "-p", String(pid)])
    return stdout.toString().includes(`postgres -D ${cluster} `)
  }
  try {
    const [program = "", ...args] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0")
    return basename(program) === "postgres" && args[args.indexOf("-D") + 1] === cluster
  } catch {
    return false
  }
}

/** True while some process has this pid, whoever owns it. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

/**
 * Replaces the pid in a `postmaster.pid` left by a crash. PostgreSQL does not start while another
 * process of the same user has that pid, which after a reboot or in a new container soon happens. The
 * rest of the file stays: PostgreSQL uses it to find out whether orphaned backends still use the data.
 * Only after `servesCluster` returned false.
 */
export function clearPid(cluster: string): void {
  const lines = postmasterLines(cluster)
  if (lines) writeFileSync(join(cluster, "postmaster.pid"), [noPid, ...lines.slice(1)].join("\n"))
}

function postmasterLines(cluster: string): string[] | undefined {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined
    throw error
  }
}
