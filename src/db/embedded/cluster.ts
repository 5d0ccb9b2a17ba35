import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs"
import { join } from "node:path"
import type { Binaries } from "./binaries.ts"
import type { ServerUser } from "./server-user.ts"

/** The role that owns everything in the embedded server, and the name of its database. */
export const role = "mds"

/** Whether `initdb` has finished: the directory gets its name only then. */
export function clusterExists(cluster: string): boolean {
  return existsSync(join(cluster, "PG_VERSION"))
}

/**
 * Creates a cluster in `dir`/cluster with a new password in `dir`/password. If the process is killed
 * meanwhile, it leaves a directory of another name, which the next run deletes.
 */
export async function createCluster(
  dir: string,
  binaries: Binaries,
  user: ServerUser,
  environment: Record<string, string>,
  durable: boolean,
): Promise<void> {
  for (const name of readdirSync(dir).filter((name) => name.startsWith("cluster.new-"))) {
    rmSync(join(dir, name), { recursive: true, force: true })
  }
  const fresh = join(dir, `cluster.new-${crypto.randomUUID()}`)
  mkdirSync(fresh, { mode: 0o700 })
  const password = join(dir, "password")
  rmSync(password, { force: true })
  writeFileSync(password, crypto.getRandomValues(new Uint8Array(24)).toHex(), { mode: 0o600 })
  if (user.owner) {
    for (const path of [fresh, password]) chownSync(path, user.owner.uid, user.owner.gid)
  }

  const initdb = Bun.spawn(
    [
      ...user.prefix,
      binaries.initdb,
      `--pgdata=${fresh}`,
      `--username=${role}`,
      `--pwfile=${password}`,
      "--auth=scram-sha-256",
      "--encoding=UTF8",
      "--locale-provider=builtin",
      "--builtin-locale=C.UTF-8",
      "--locale=C",
      ...(durable ? [] : ["--no-sync"]),
    ],
    { cwd: "/", env: environment, stdin: "ignore", stdout: "ignore", stderr: "pipe" },
  )
  const stderr = await initdb.stderr.text()
  if ((await initdb.exited) !== 0) {
    rmSync(fresh, { recursive: true, force: true })
    const unknown = stderr.includes("could not look up effective user ID")
    const hint = unknown ? "; the user that runs this needs a line in /etc/passwd" : ""
    throw new Error(stderr.trim() + hint)
  }
  renameSync(fresh, join(dir, "cluster"))
}

/** The password that was generated with the cluster. Must not be logged. */
export function readPassword(dir: string): string {
  return readFileSync(join(dir, "password"), "utf8").trim()
}
