/** Reads PostgreSQL's file `postmaster.pid` of a cluster, and checks the process that it names. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../text/error-code.ts"

export interface Postmaster {
  pid: number
  port: number
  isReady: boolean
}

// Above the largest pid of Linux and macOS.
const noPid = "2147483647"

/** Returns the server that runs on `cluster`; undefined without one, also if a stale file names it. */
export function runningServer(cluster: string): Postmaster | undefined {
  const lines = readLines(cluster)
  const pid = Number(lines[0])
  if (!(pid > 0) || !isAlive(pid) || !servesCluster(pid, cluster)) return undefined
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === "ready" }
}

/** Whether a process of any user has this pid. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === "EPERM"
  }
}

/** Whether the process is a PostgreSQL server that was started with `-D cluster`. */
function servesCluster(pid: number, cluster: string): boolean {
  if (process.platform !== "linux") {
    const { stdout } = Bun.spawnSync(["ps", "-ww", "-o", "command=", "-p", String(pid)])
    return stdout.toString().includes(`postgres -D ${cluster} `)
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(`postgres\0-D\0${cluster}\0`)
  } catch {
    return false // It has just ended.
  }
}

/**
 * Replaces the pid in a file that a crash left. PostgreSQL does not start while another process of the same
 * user has that pid, which is likely after a reboot or in a new container. The rest of the file stays, because
 * PostgreSQL detects orphaned backends by it. Call it only while no server runs on the cluster.
 */
export function clearStalePid(cluster: string): void {
  const lines = readLines(cluster)
  if (lines.length > 0) {
    writeFileSync(join(cluster, "postmaster.pid"), [noPid, ...lines.slice(1)].join("\n"))
  }
}

function readLines(cluster: string): string[] {
  try {
    return readFileSync(join(cluster, "postmaster.pid"), "utf8").split("\n")
  } catch (error) {
    if (codeOf(error) === "ENOENT") return []
    throw error
  }
}
