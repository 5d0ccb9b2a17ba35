import { readFileSync, statSync } from "node:fs"
import { dirname } from "node:path"
import type { Binaries } from "./binaries.ts"

/**
 * The operating system user of PostgreSQL. `prefix` precedes each of its commands; it is empty unless this
 * process is root.
 */
export interface ServerUser {
  prefix: string[]
  owner?: { uid: number; gid: number }
}

/**
 * Chooses the user of PostgreSQL, which does not run as root: for a root process the owner of an existing
 * cluster, or `nobody`. That user cannot traverse directories such as /root, a common place of a clone. If it
 * cannot reach PostgreSQL's programs, it gets a capability to read and traverse without permission:
 * DAC_READ_SEARCH, or the wider DAC_OVERRIDE, since many containers grant only the latter. `no_setuid_fixup`
 * makes access(2), by which PostgreSQL checks its programs, respect the capability.
 */
export function serverUserFor(cluster: string, binaries: Binaries): ServerUser {
  const existing = statSync(cluster, { throwIfNoEntry: false })
  const self = process.getuid?.()
  if (self !== 0) {
    if (existing && existing.uid !== self) {
      throw new Error(
        `${cluster} belongs to another user (uid ${existing.uid}); ` +
          "start as that user or as root, or choose another data directory",
      )
    }
    return { prefix: [] }
  }

  const owner = existing && existing.uid !== 0 ? existing : nobody()
  const { uid, gid } = owner
  for (const capability of [undefined, "dac_read_search", "dac_override"]) {
    const prefix = switchUser(uid, gid, capability)
    if (canRun(prefix, dirname(cluster), binaries)) return { prefix, owner: { uid, gid } }
  }
  throw new Error(
    `PostgreSQL does not run as root, and could not be run as an unprivileged user (uid ${uid}). ` +
      "Start this program as a normal user, or set DATABASE_URL to a PostgreSQL server of your " +
      "own. In a container, root needs the capabilities SETUID and SETGID and the program setpriv",
  )
}

function nobody(): { uid: number; gid: number } {
  const entry = /^nobody:[^:]*:(\d+):(\d+):/m.exec(readFileSync("/etc/passwd", "utf8"))
  if (!entry) throw new Error("PostgreSQL does not run as root, and there is no user `nobody`")
  return { uid: Number(entry[1]), gid: Number(entry[2]) }
}

function switchUser(uid: number, gid: number, capability?: string): string[] {
  const user = ["setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", "--no-new-privs"]
  if (!capability) return user
  const only = `-all,+${capability}`
  return [
    ...user,
    `--inh-caps=${only}`,
    `--ambient-caps=${only}`,
    `--bounding-set=${only}`,
    "--securebits=+no_setuid_fixup",
  ]
}

/**
 * Whether that user can enter the data directory, and PostgreSQL finds its own program. If it does not,
 * PostgreSQL only prints a warning and exits with 0, so stderr must be empty too.
 */
function canRun(prefix: string[], dir: string, { postgres }: Binaries): boolean {
  const check = ["/bin/sh", "-c", 'cd "$0" && exec "$1" --version', dir, postgres]
  try {
    const { exitCode, stderr } = Bun.spawnSync([...prefix, ...check], { cwd: "/" })
    return exitCode === 0 && stderr.length === 0
  } catch {
    return false // no setpriv on this machine
  }
}
