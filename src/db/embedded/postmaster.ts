/** The file `postmaster.pid` of a cluster, which PostgreSQL writes, and the process that it names. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { codeOf } from "../../text/error-code.ts"

export interface Postmaster {
  pid: number
  port: number
  isReady: boolean
}

// Above the largest pid of Linux and macOS, so that no process ever has it.
const noPid = "2147483647"

/** The server that runs on `cluster`; undefined where none does, whatever an old file says. */
export function runningServer(cluster: string): Postmaster | undefined {
  const lines = readLines(cluster)
  const pid = Number(lines[0])
  if (!(pid > 0) || !isAlive(pid) || !servesCluster(pid, cluster)) return undefined
  return { pid, port: Number(lines[3]), isReady: lines[7]?.trim() === "ready" }
}

/** Whether some process has this pid, whoever owns it. */
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
 * Replaces the pid in a file that a crash left. PostgreSQL does not start while another process of the
 * same user has that pid, which after a reboot or in a new container soon happens. The rest of the file
 * stays: PostgreSQL uses it to find out whether orphaned backends still use the data. Only while no
 * server runs on the cluster.
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
