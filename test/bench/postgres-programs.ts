/** PostgreSQL's own client programs, as the measure of what the database can do. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { type Finished, runToEnd, type Variables } from "./processes.ts"

/** The address for libpq, in the environment, where no list of processes shows the password. */
export function connectionOf(url: string): Variables {
  const { hostname, port, username, password, pathname } = new URL(url)
  return {
    PGHOST: hostname,
    PGPORT: port || "5432",
    PGUSER: decodeURIComponent(username),
    PGPASSWORD: decodeURIComponent(password),
    PGDATABASE: decodeURIComponent(pathname.slice(1)),
  }
}

/** Runs a psql command, such as `\copy`, and a shell command on its output. */
export const psql = (url: string, command: string, pipe = "cat > /dev/null"): Promise<Finished> =>
  runToEnd(
    [
      "/bin/bash",
      "-o",
      "pipefail",
      "-c",
      `psql -X -q -v ON_ERROR_STOP=1 -c "$1" | ${pipe}`,
      "psql",
      command,
    ],
    {
      environment: connectionOf(url),
    },
  )

/** A client's only line of work; several take turns at random. */
export interface PgbenchOptions {
  url: string
  directory: string
  scripts: readonly string[]
  seconds: number
}

/** Prepared statements over 16 connections. @returns transactions per second */
export async function pgbench({
  url,
  directory,
  scripts,
  seconds,
}: PgbenchOptions): Promise<number> {
  const files = scripts.flatMap((script, index) => {
    const file = join(directory, `pgbench-${index}.sql`)
    writeFileSync(file, `${script}\n`)
    return ["-f", file]
  })
  const load = ["-n", "-M", "prepared", "-c", "16", "-j", "2", "-T", String(seconds)]
  const { stdout } = await runToEnd(["pgbench", ...load, ...files], {
    environment: connectionOf(url),
  })
  const [, rate] = /tps = ([\d.]+) \(without initial/.exec(stdout) ?? []
  if (rate === undefined) throw new Error(`pgbench printed no rate: ${stdout}`)
  return Number(rate)
}
