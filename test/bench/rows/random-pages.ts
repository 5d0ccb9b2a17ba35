/** Random pages of filtered lists, which are in no cache, though their totals are. */
import { callAll } from "../callers.ts"
import type { Environment } from "../environment.ts"
import { pgbench } from "../postgres-programs.ts"
import type { ServerProcess } from "../processes.ts"
import type { Row } from "../row.ts"
import { authorization, measureRates, type Side } from "../sides.ts"
import { targetsFile } from "../wrk.ts"

/** A filtered list of tenements, with its conditions and its number of records. */
interface List {
  query: string
  where: string
  total: number
}

const perPage = 50
const manyTargets = 100_000

const listsByState = async ({ sql }: Environment): Promise<List[]> =>
  (
    await sql<{ state: string; total: number }[]>`
      select state, count(*)::int as total from tenements group by 1 order by 1`
  ).map(({ state, total }) => ({ query: `state=${state}`, where: `state = '${state}'`, total }))

const listsByStateAndStatus = async ({ sql }: Environment): Promise<List[]> =>
  (
    await sql<{ state: string; status: string; total: number }[]>`
      select state, status_folded as status, count(*)::int as total
      from tenements where status is not null group by 1, 2 order by 1, 2`
  ).map(({ state, status, total }) => ({
    query: `state=${state}&status=${encodeURIComponent(status)}`,
    where: `state = '${state}' and status_folded = '${status.replaceAll("'", "''")}'`,
    total,
  }))

const pagesOf = ({ total }: List) => Math.ceil(total / perPage)

const pathOf = ({ query }: List, page: number) => `/api/v1/tenements?${query}&page=${page}`

/** Lists are equally likely, and so are the pages of each, as in pgbench's scripts. */
const randomTargets = (lists: readonly List[]): string[] =>
  Array.from({ length: manyTargets }, () => {
    const list = lists[Math.floor(Math.random() * lists.length)]
    if (!list) throw new Error("There are no tenements")
    return pathOf(list, 1 + Math.floor(Math.random() * pagesOf(list)))
  })

const scriptOf = (list: List) => `\\set page random(1, ${pagesOf(list)})
select id, tenement_id, state, status, type, holder_name, grant_date, expiry_date, area_km2
from tenements where ${list.where} order by id limit ${perPage} offset (:page - 1) * ${perPage};`

async function run(environment: Environment, lists: readonly List[]) {
  const { scratch, seconds, url } = environment
  const token = await environment.token()
  const headers = await authorization(environment)
  const targets = targetsFile(scratch, "random-pages", randomTargets(lists))
  const side = async (server: ServerProcess): Promise<Side> => {
    // The totals are counted before.
    const firstPages = lists.map((list) => pathOf(list, 1))
    await callAll({ url: server.url, callers: [{ token, targets: firstPages }] })
    return { server, targets: targets(), headers }
  }
  const sides = {
    ours: await side(await environment.freshService()),
    fastify: await side(await environment.peer("fastify")),
    hono: await side(await environment.peer("hono")),
  }
  const figures = await measureRates(environment, sides, {
    pgbench: () => pgbench({ url, directory: scratch, scripts: lists.map(scriptOf), seconds }),
  })
  return { figures }
}

const pagesOfStatus: Row = {
  name: "random-state-status-page",
  work: "a random page of a random state and status",
  needs: ["wrk", "pgbench"],
  targets: [
    { figure: "ours", over: "pgbench", atLeast: 0.8 },
    { figure: "ours", over: "fastify" },
    { figure: "ours", over: "hono" },
  ],
  run: async (environment) => run(environment, await listsByStateAndStatus(environment)),
}

const pagesOfState: Row = {
  name: "random-state-page",
  work: "a random page of a random state",
  needs: ["wrk", "pgbench"],
  targets: [
    { figure: "ours", over: "fastify", atLeast: 2 },
    { figure: "ours", over: "hono", atLeast: 2 },
    { figure: "ours", over: "pgbench" },
  ],
  run: async (environment) => run(environment, await listsByState(environment)),
}

export const randomPageRows = [pagesOfStatus, pagesOfState]
