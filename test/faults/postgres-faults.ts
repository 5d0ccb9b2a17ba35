/** What can happen to a PostgreSQL under a service. */
import { renameSync } from "node:fs"
import postgres from "postgres"
import type { OwnServer } from "../support/own-server.ts"
import { until } from "../support/until.ts"
import type { Deployment } from "./deployment.ts"
import type { Fault } from "./fault.ts"

const killed: Fault = {
  name: "PostgreSQL killed",
  cause: ({ database }) => database.kill(),
  mend: ({ database }) => database.start(),
  statuses: ["503"],
}

const frozen: Fault = {
  name: "PostgreSQL frozen",
  cause: async ({ database }) => database.freeze(),
  mend: async ({ database }) => database.thaw(),
  statuses: ["503"],
}

const restarted: Fault = {
  name: "PostgreSQL restarted",
  cause: async ({ database }) => {
    await database.shutDown()
    await database.start()
  },
  mend: async () => {},
  statuses: ["200", "503"],
}

/** Another database than the service's, to work from while that one refuses. */
const maintenance = "template1"

const terminateService = `
  select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'mds %'`

const sessionsOfService = async ({ database }: Deployment): Promise<number> => {
  const [row] = await database.run<{ count: number }>(
    "select count(*)::int from pg_stat_activity where application_name like 'mds %'",
    maintenance,
  )
  return row?.count ?? 0
}

const refusing: Fault = {
  name: "PostgreSQL refusing connections",
  cause: async (deployment) => {
    const { database } = deployment
    await database.run("alter database postgres allow_connections false", maintenance)
    await database.run(terminateService, maintenance)
    await until(async () => (await sessionsOfService(deployment)) === 0)
  },
  mend: ({ database }) =>
    database.run("alter database postgres allow_connections true", maintenance),
  statuses: ["503"],
}

/** Takes all connections, those of the service too. */
function outOfConnections(): Fault {
  let taken: postgres.Sql[] = []
  return {
    name: "PostgreSQL out of connections",
    cause: async ({ database }) => {
      taken = await takeAll(database.url)
      const [first] = taken
      if (!first) throw new Error("There was no connection to take")
      await until(async () => {
        await first.unsafe(terminateService)
        taken.push(...(await takeAll(database.url)))
        const [left] = await first.unsafe(
          "select count(*)::int from pg_stat_activity where application_name like 'mds %'",
        )
        return left?.count === 0
      })
    },
    mend: async () => {
      await Promise.all(taken.map((each) => each.end({ timeout: 1 })))
      taken = []
    },
    statuses: ["503"],
  }
}

/** Connects until the server refuses. */
async function takeAll(url: string): Promise<postgres.Sql[]> {
  const taken: postgres.Sql[] = []
  for (;;) {
    const next = postgres(url, { max: 1, connect_timeout: 5, fetch_types: false })
    try {
      await next`select 1`
      taken.push(next)
    } catch {
      await next.end({ timeout: 0 })
      return taken
    }
  }
}

/** Ends the service's sessions again and again. */
function terminatedSessions(): Fault {
  let ending: Promise<void> | undefined
  let isOver = false
  return {
    name: "PostgreSQL terminating sessions, 20 times a second",
    cause: async ({ database }) => {
      isOver = false
      const terminate = async (): Promise<void> => {
        while (!isOver) {
          await database.run(terminateService, maintenance)
          await Bun.sleep(50)
        }
      }
      ending = terminate()
    },
    mend: async () => {
      isOver = true
      await ending
    },
    statuses: ["200", "503"],
  }
}

/** As on a disk that fails. */
const unreadable: Fault = {
  name: "PostgreSQL with a table that can't be read",
  cause: async ({ database }) => {
    const file = await fileOfReports(database)
    renameSync(file, `${file}.away`)
    // Its sessions have the file open.
    await database.run(terminateService)
  },
  mend: async ({ database }) => {
    const file = await fileOfReports(database)
    renameSync(`${file}.away`, file)
  },
  statuses: ["200", "503"],
}

async function fileOfReports(database: OwnServer): Promise<string> {
  const [row] = await database.run<{ path: string }>(`
    select current_setting('data_directory') || '/' || pg_relation_filepath('reports') as path`)
  if (!row) throw new Error("The table has no file")
  return row.path
}

const readOnly: Fault = {
  name: "PostgreSQL read-only",
  cause: async ({ database }) => {
    await database.run("alter system set default_transaction_read_only = on")
    await database.run("select pg_reload_conf()")
  },
  mend: async ({ database }) => {
    await database.run("alter system reset default_transaction_read_only")
    await database.run("select pg_reload_conf()")
  },
  statuses: ["200"],
}

export const postgresFaults: readonly Fault[] = [
  killed,
  frozen,
  restarted,
  refusing,
  outOfConnections(),
  terminatedSessions(),
  unreadable,
  readOnly,
]
