/** A real PgBouncer for a test, in transaction mode: each transaction may go to another server connection. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { responds } from "./responds.ts"
import { freePort, installedProgram, startSupervised } from "./supervised.ts"
import { until } from "./until.ts"

/** Debian has it where only root's PATH leads. */
const program = installedProgram("pgbouncer", "/usr/sbin/pgbouncer")

/** For `describe.skipIf(!pgbouncerIsInstalled)`. */
export const pgbouncerIsInstalled = program !== null

export type PgBouncer = Awaited<ReturnType<typeof pgbouncer>>

/**
 * Starts one before the database and waits until it responds.
 * @param poolSize connections to the server
 */
export async function pgbouncer(databaseUrl: string, poolSize: number) {
  const port = freePort()
  const directory = await mkdtemp(join(tmpdir(), "mds-test-pgbouncer-"))
  const file = join(directory, "pgbouncer.ini")
  await Bun.write(file, configuration(new URL(databaseUrl), port, poolSize))
  // It does not run as root, but reads its settings before it changes its user.
  const user = process.getuid?.() === 0 ? ["--user", "nobody"] : []
  const running = await startSupervised("pgbouncer", [program ?? "pgbouncer", ...user, file])
  const stop = async (): Promise<void> => {
    await running.end()
    await rm(directory, { recursive: true, force: true })
  }
  const url = new URL(databaseUrl)
  url.port = String(port)
  await until(() => responds(url.href, 5))
  return {
    /** Of the same database, through the pooler. */
    url: url.href,
    /** For `afterAll`. */
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

/** All but these settings are PgBouncer's own. */
const configuration = (server: URL, port: number, poolSize: number): string => `
[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${decodeURIComponent(server.password)}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
ignore_startup_parameters = extra_float_digits,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,plan_cache_mode,work_mem
`
