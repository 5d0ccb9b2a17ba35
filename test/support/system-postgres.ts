/** A PostgreSQL of the operating system's packages, older than the embedded one, and its client programs. */
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import postgres from "postgres"
import { serverUserFor } from "../../src/system/embedded/server-user.ts"
import { freePort, startSupervised } from "./supervised.ts"
import { until } from "./until.ts"

/** Where Debian installs them, the newest last. */
const installed = "/usr/lib/postgresql"
const versions = existsSync(installed) ? readdirSync(installed).sort() : []
/** The directory of its programs. */
export const systemPrograms = join(installed, versions.at(-1) ?? "", "bin")

const systemVersion = Number(versions.at(-1) ?? 0)
export const systemPostgresIsInstalled =
  systemVersion > 0 &&
  ["initdb", "postgres", "pg_dump", "pg_restore"].every((name) =>
    existsSync(join(systemPrograms, name)),
  )

export type SystemPostgres = Awaited<ReturnType<typeof systemPostgres>>

/** Makes a cluster and starts a server on it. */
export async function systemPostgres() {
  const directory = mkdtempSync(join(tmpdir(), "mds-test-system-postgres-"))
  const cluster = join(directory, "cluster")
  const programs = {
    initdb: join(systemPrograms, "initdb"),
    postgres: join(systemPrograms, "postgres"),
  }
  const { prefix, owner } = serverUserFor(cluster, programs)
  if (owner) chownSync(directory, owner.uid, owner.gid)
  const run = (...command: string[]): void => {
    const { success, stderr } = Bun.spawnSync([...prefix, ...command], { cwd: "/" })
    if (!success) throw new Error(`${command[0]} failed: ${stderr}`)
  }
  run(
    programs.initdb,
    `--pgdata=${cluster}`,
    "--username=mds",
    "--auth=trust",
    "--encoding=UTF8",
    "--locale=C",
    "--no-sync",
  )
  const port = freePort()
  const settings = [
    "fsync=off",
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "shared_buffers=32MB",
  ]
  const server = await startSupervised("system-postgres", [
    ...prefix,
    programs.postgres,
    "-D",
    cluster,
    ...[`port=${port}`, ...settings].flatMap((setting) => ["-c", setting]),
  ])
  const addressOf = (name: string) => `postgres://mds:secret@127.0.0.1:${port}/${name}`
  const database = async (name: string): Promise<string> => {
    const sql = postgres(addressOf("postgres"), { max: 1, onnotice: () => {} })
    try {
      await sql`create database ${sql(name)}`
      return addressOf(name)
    } finally {
      await sql.end({ timeout: 1 })
    }
  }
  const isReady = (): Promise<boolean> =>
    database("mds").then(
      () => true,
      () => false,
    )
  await until(isReady)
  return {
    /** Of its database `mds`, as its superuser. */
    url: addressOf("mds"),
    /** Has its `cluster`, as a data directory of the service. */
    directory,
    /** Makes an empty database. @returns its address */
    database,
    /** Ends the server, and keeps its directory. */
    end: server.end,
    /** For `afterAll`. */
    stop: async () => {
      await server.end()
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
