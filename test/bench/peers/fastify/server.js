/** The same lists and records with Fastify and pg, as their documentation shows. */
import { createHash } from "node:crypto"
import Fastify from "fastify"
import pg from "pg"

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 8 })
const columns =
  "id, tenement_id, state, status, type, holder_name, grant_date::text, expiry_date::text, area_km2"
const accounts = new Map()
const totals = new Map()

/** The account of a token; found once in the database, then in memory. */
async function accountOf(header) {
  const token = /^Bearer (\S+)$/i.exec(header ?? "")?.[1]
  if (token === undefined) return undefined
  const sha256 = createHash("sha256").update(token).digest("hex")
  const known = accounts.get(sha256)
  if (known !== undefined) return known
  const { rows } = await pool.query({
    name: "token",
    text: "select account_id from tokens where sha256 = $1 and revoked_at is null",
    values: [sha256],
  })
  if (rows[0]) accounts.set(sha256, rows[0].account_id)
  return rows[0]?.account_id
}

function listOf({ state, status }) {
  const conditions = []
  const values = []
  if (state !== undefined) conditions.push(`state = $${values.push(state)}`)
  if (status !== undefined) conditions.push(`status_folded = $${values.push(status)}`)
  const where = conditions.length > 0 ? `where ${conditions.join(" and ")}` : ""
  return { where, values, key: `${state} ${status}` }
}

/** Counted once, then in memory: the data does not change while this runs. */
async function totalOf({ where, values, key }) {
  const known = totals.get(key)
  if (known !== undefined) return known
  const { rows } = await pool.query(`select count(*)::int as total from tenements ${where}`, values)
  totals.set(key, rows[0].total)
  return rows[0].total
}

const fastify = Fastify()

fastify.addHook("onRequest", async (request, reply) => {
  request.account = await accountOf(request.headers.authorization)
  if (request.account === undefined) {
    return reply.code(401).send({ error: { code: "UNAUTHORIZED" } })
  }
})

const list = {
  schema: {
    querystring: {
      type: "object",
      properties: {
        state: { type: "string" },
        status: { type: "string" },
        page: { type: "integer", minimum: 1, default: 1 },
        per_page: { type: "integer", minimum: 1, maximum: 100, default: 50 },
      },
    },
  },
}

fastify.get("/api/v1/tenements", list, async (request, reply) => {
  const { page, per_page, ...filters } = request.query
  const { where, values, key } = listOf(filters)
  const text = `select ${columns} from tenements ${where} order by id limit $${values.length + 1} offset $${values.length + 2}`
  const [{ rows }, total] = await Promise.all([
    pool.query({
      name: `list ${where}`,
      text,
      values: [...values, per_page, (page - 1) * per_page],
    }),
    totalOf({ where, values, key }),
  ])
  const total_pages = Math.ceil(total / per_page)
  reply.header("X-Total-Count", total).header("X-Total-Pages", total_pages)
  return { data: rows, meta: { total, page, per_page, total_pages } }
})

fastify.get("/api/v1/tenements/:id", async (request, reply) => {
  const { rows } = await pool.query({
    name: "record",
    text: `select ${columns} from tenements where id = $1`,
    values: [request.params.id],
  })
  if (!rows[0]) return reply.code(404).send({ error: { code: "NOT_FOUND" } })
  return { data: rows[0] }
})

const address = await fastify.listen({ host: "127.0.0.1", port: Number(process.env.PORT) })
process.stdout.write(`Listening on ${address}\n`)
