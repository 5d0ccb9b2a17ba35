import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { Binaries } from "./binaries.ts"
import type { ServerUser } from "./server-user.ts"

/** The role that owns all objects of the embedded server. */
export const role = "mds"

/** How the name of an incomplete cluster begins. */
const incomplete = "cluster.new"

/** The environment without PG* variables, which would configure the server, and with a fixed locale of its log. */
export const serverEnvironment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
  LC_ALL: "C",
})

/**
 * Whether `dir` has a cluster of this program. PostgreSQL itself rejects one of another version.
 * @throws Error with the remedy if the cluster belongs to another program
 */
export function hasCluster(dir: string): boolean {
  const cluster = join(dir, "cluster")
  if (!existsSync(cluster)) return false
  if (!existsSync(join(cluster, "PG_VERSION"))) {
    throw new Error(
      `${cluster} was not made by this program. Nothing was changed. ` +
        "Choose another data directory, or move that one to another place",
    )
  }
  const password = join(dir, "password")
  if (existsSync(password)) return true
  throw new Error(
    `${password} is missing. Nothing was changed. Restore the file from a backup; ` +
      `without one, move ${cluster} to another place and load the data again`,
  )
}

/**
 * Creates a cluster in `dir`/cluster with a new password in `dir`/password. An incomplete cluster has a name of
 * its own, because the initdb of a killed process may still write to its cluster; the next run deletes it. The
 * caller has the lock.
 */
export async function createCluster(
  dir: string,
  binaries: Binaries,
  user: ServerUser,
  isDurable: boolean,
): Promise<void> {
  const fresh = mkdtempSync(join(dir, incomplete))
  const password = join(dir, "password")
  rmSync(password, { force: true })
  writeFileSync(password, crypto.getRandomValues(new Uint8Array(24)).toHex(), { mode: 0o600 })
  if (user.owner) {
    for (const path of [fresh, password]) chownSync(path, user.owner.uid, user.owner.gid)
  }

  const flags = [
    `--pgdata=${fresh}`,
    `--username=${role}`,
    `--pwfile=${password}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    ...(isDurable ? [] : ["--no-sync"]),
  ]
  const child = Bun.spawn([...user.prefix, binaries.initdb, ...flags], {
    cwd: "/",
    env: serverEnvironment(),
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  })
  const stderr = await child.stderr.text()
  if ((await child.exited) !== 0) throw new Error(stderr.trim())
  const isLeft = (path: string) => path.startsWith(join(dir, incomplete)) && path !== fresh
  for (const left of readdirSync(dir)
    .map((name) => join(dir, name))
    .filter(isLeft)) {
    // The directory can stay, without an error, where the initdb of a killed process still writes to it.
    for (let tries = 0; existsSync(left) && tries < 20; tries++) {
      if (tries > 0) await Bun.sleep(50)
      rmSync(left, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    }
  }
  renameSync(fresh, join(dir, "cluster"))
}

/** Returns the password of the cluster. Must not be logged. */
export function readPassword(dir: string): string {
  return readFileSync(join(dir, "password"), "utf8").trim()
}
