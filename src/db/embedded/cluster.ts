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
import { lendUserName } from "./user-name.ts"

/** The role that owns everything in the embedded server, and the name of its database. */
export const role = "mds"

/** Whether `initdb` has finished: the directory gets its name only then. */
export function clusterExists(cluster: string): boolean {
  return existsSync(join(cluster, "PG_VERSION"))
}

/**
 * PostgreSQL reads the data of its own major version only.
 * @throws where the cluster is of another one, with what to do
 */
export function checkVersion(cluster: string, { majorVersion }: Binaries): void {
  const madeBy = readFileSync(join(cluster, "PG_VERSION"), "utf8").trim()
  if (madeBy === majorVersion) return
  throw new Error(
    `${cluster} is of PostgreSQL ${madeBy}, and this program comes with PostgreSQL ${majorVersion}, which cannot read it. ` +
      "Nothing was changed. Dump the database with pg_dump while the program before the upgrade serves it, " +
      `move ${cluster} to another place, and restore the dump into the database of this program`,
  )
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

  const flags = [
    `--pgdata=${fresh}`,
    `--username=${role}`,
    `--pwfile=${password}`,
    "--auth=scram-sha-256",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--builtin-locale=C.UTF-8",
    "--locale=C",
    ...(durable ? [] : ["--no-sync"]),
  ]
  const command = [...user.prefix, binaries.initdb, ...flags]
  try {
    await runInitdb(command, environment, dir)
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true })
    throw error
  }
  renameSync(fresh, join(dir, "cluster"))
}

/**
 * A container may run as a user that has no line in /etc/passwd, whose name `initdb` asks for all the
 * same. Where nss_wrapper is installed, as in our image, it is told one.
 *
 * @throws Error with what it says
 */
async function runInitdb(
  command: string[],
  environment: Record<string, string>,
  dir: string,
): Promise<void> {
  const failure = await failureOf(command, environment)
  if (failure === undefined) return
  if (!failure.includes("could not look up effective user ID")) throw new Error(failure)
  const name = lendUserName(dir)
  if (!name) throw new Error(`${failure}; the user that runs this needs a line in /etc/passwd`)
  const again = await failureOf(command, { ...environment, ...name.environment })
  name.release()
  if (again !== undefined) throw new Error(again)
}

async function failureOf(
  command: string[],
  environment: Record<string, string>,
): Promise<string | undefined> {
  const child = Bun.spawn(command, {
    cwd: "/",
    env: environment,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "pipe",
  })
  const stderr = await child.stderr.text()
  return (await child.exited) === 0 ? undefined : stderr.trim()
}

/** The password that was generated with the cluster. Must not be logged. */
export function readPassword(dir: string): string {
  return readFileSync(join(dir, "password"), "utf8").trim()
}
