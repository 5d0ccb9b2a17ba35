/** Loading a file, beside \copy of the same rows into a table with the same indexes. */
import { join } from "node:path"
import postgres from "postgres"
import { migrate } from "../../../src/db/migrate.ts"
import { tenementsFile } from "../data.ts"
import type { Environment } from "../environment.ts"
import { psql } from "../postgres-programs.ts"
import { commandOfService, followPeak, runToEnd } from "../processes.ts"
import type { Row } from "../row.ts"

/** Runs `work` with a database of its own on the same server, without data. */
async function withDatabase<T>(
  { url, sql }: Environment,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const name = `mds_bench_${process.pid}`
  const own = new URL(url)
  own.pathname = `/${name}`
  await sql`create database ${sql(name)}`
  try {
    await migrate(own.href)
    return await work(own.href)
  } finally {
    await sql`drop database ${sql(name)} with (force)`
  }
}

async function loadOnce(url: string, environment: Environment, file: string) {
  let peakMB = () => 0
  const { seconds } = await runToEnd(commandOfService("load", "tenements", file), {
    environment: { DATABASE_URL: url, DATA_DIR: environment.scratch },
    onStarted: (pid) => {
      peakMB = followPeak(pid)
    },
  })
  return { seconds, peakMB: peakMB() }
}

const mostRowsInEachRound = 250_000

export const load: Row = {
  name: "load",
  work: "load of a CSV file of tenements",
  needs: ["psql", "/proc"],
  targets: [
    { figure: "ours", over: "copy", atMost: 1.5 },
    { figure: "memory", atMost: 256 },
  ],
  run: async (environment) => {
    const file = await tenementsFile(environment.directory, environment.sizes)
    const copied = join(environment.scratch, "copied.csv")
    const ours: number[] = []
    const copy: number[] = []
    const memory: number[] = []
    const loads = environment.sizes.tenements > mostRowsInEachRound ? 1 : environment.rounds
    for (let round = 0; round < loads; round++) {
      environment.log(`load ${round + 1} of ${loads}`)
      await withDatabase(environment, async (url) => {
        const loaded = await loadOnce(url, environment, file)
        ours.push(loaded.seconds)
        memory.push(loaded.peakMB)
        // The rows as they are stored, with every column that the service has computed.
        await psql(url, String.raw`\copy tenements to stdout csv`, `cat > '${copied}'`)
        await withClient(url, (sql) => sql`create table copied (like tenements including all)`)
        copy.push((await psql(url, String.raw`\copy copied from '${copied}' csv`)).seconds)
        await withClient(url, async (sql) => {
          const [counts] = await sql`
            select (select count(*) from tenements) = (select count(*) from copied) as same`
          if (!counts?.same) throw new Error("The tables do not have the same number of rows")
        })
      })
    }
    return {
      figures: {
        ours: { unit: "s", samples: ours },
        copy: { unit: "s", samples: copy },
        memory: { unit: "MB", samples: memory },
      },
      notes: [`${environment.sizes.tenements} tenements, vacuum and analyze included in ours`],
    }
  },
}

async function withClient<T>(url: string, work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
  const sql = postgres(url, { max: 1, onnotice: () => {} })
  try {
    return await work(sql)
  } finally {
    await sql.end({ timeout: 1 })
  }
}
