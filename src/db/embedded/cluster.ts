import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { Binaries } from "./binaries.ts"
import type { ServerUser } from "./server-user.ts"

/** The role that owns everything in the embedded server. */
export const role = "mds"

/** Excludes the PG* variables of the shell, which would reach the server, and the locale, which would change its log. */
export const serverEnvironment = (): Record<string, string> => ({
  PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
  LC_ALL: "C",
})

/**
 * Whether `dir` has a cluster of this program. PostgreSQL itself refuses one of another version.
 * @throws where the cluster is another program's, with what to do
 */
export function hasCluster(dir: string): boolean {
  const cluster = join(dir, "cluster")
  if (!existsSync(cluster)) return false
  if (existsSync(join(cluster, "PG_VERSION")) && existsSync(join(dir, "password"))) return true
  throw new Error(
    `${cluster} was not made by this program. Nothing was changed. ` +
      "Choose another data directory, or move that one to another place",
  )
}

/**
 * Creates a cluster in `dir`/cluster with a new password in `dir`/password. What it leaves when it fails
 * or is killed has another name, and the next run deletes it. Only with the lock.
 */
export async function createCluster(
  dir: string,
  binaries: Binaries,
  user: ServerUser,
  isDurable: boolean,
): Promise<void> {
  const fresh = join(dir, "cluster.new")
  rmSync(fresh, { recursive: true, force: true })
  mkdirSync(fresh, { mode: 0o700 })
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
  renameSync(fresh, join(dir, "cluster"))
}

/** The password that was generated with the cluster. Must not be logged. */
export function readPassword(dir: string): string {
  return readFileSync(join(dir, "password"), "utf8").trim()
}
