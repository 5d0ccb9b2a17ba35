/** One record by its key: any one, read for the first time, and one of those read before. */
import type { Environment } from "../environment.ts"
import { pgbench } from "../postgres-programs.ts"
import type { ServerProcess } from "../processes.ts"
import type { Row } from "../row.ts"
import { authorization, measureRates, type Side } from "../sides.ts"
import { targetsFile } from "../wrk.ts"

const mostKeys = 300_000
const keysReadAgain = 500

const columns =
  "id, tenement_id, state, status, type, holder_name, grant_date, expiry_date, area_km2"

async function keys({ sql }: Environment, limit: number): Promise<string[]> {
  const found = await sql<{ id: string }[]>`
    select id from tenements order by md5(id) limit ${limit}`
  return found.map(({ id }) => id)
}

const pathOf = (id: string) => `/api/v1/tenements/${encodeURIComponent(id)}`

const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** pgbench has integers only, so it takes its keys from an array. */
const readRecord = (ids: readonly string[]) => `\\set n random(1, ${ids.length})
select ${columns} from tenements where id = (array[${ids.map(literal).join(",")}])[:n];`

const recordFirst: Row = {
  name: "record-first",
  work: "one record, random key, read for the first time",
  needs: ["wrk", "pgbench"],
  targets: [
    { figure: "ours", over: "hono", atLeast: 1 },
    { figure: "ours", over: "fastify" },
    { figure: "ours", over: "pgbench" },
    { figure: "CPU of ours", over: "CPU of hono" },
  ],
  run: async (environment) => {
    const { scratch, seconds, url } = environment
    const ids = await keys(environment, mostKeys)
    const targets = targetsFile(scratch, "records", ids.map(pathOf))
    const headers = await authorization(environment)
    const side = (server: ServerProcess): Side => ({ server, targets: targets(), headers })
    const ours = side(await environment.freshService())
    const sides = {
      ours,
      hono: side(await environment.peer("hono")),
      fastify: side(await environment.peer("fastify")),
    }
    const script = readRecord(ids.slice(0, keysReadAgain))
    const figures = await measureRates(environment, sides, {
      pgbench: () => pgbench({ url, directory: scratch, scripts: [script], seconds }),
    })
    const { next } = ours.targets
    const notes =
      next > ids.length
        ? [`there were ${ids.length} keys for ${next} requests: some were read again`]
        : []
    return { figures, notes }
  },
}

const recordAgain: Row = {
  name: "record-again",
  work: `one record, random key of ${keysReadAgain} read before`,
  needs: ["wrk"],
  targets: [
    { figure: "ours", over: "bare", atLeast: 0.5 },
    { figure: "ours", over: "hono" },
    { figure: "CPU of ours", over: "CPU of bare" },
  ],
  run: async (environment) => {
    const ids = await keys(environment, keysReadAgain)
    const targets = targetsFile(environment.scratch, "records-again", ids.map(pathOf))
    const headers = await authorization(environment)
    const side = (server: ServerProcess): Side => ({ server, targets: targets(), headers })
    const bare = await environment.bare(pathOf(ids[0] ?? ""))
    const figures = await measureRates(environment, {
      ours: side(await environment.service()),
      bare: side(bare),
      hono: side(await environment.peer("hono")),
    })
    return { figures }
  },
}

export const recordRows = [recordFirst, recordAgain]
