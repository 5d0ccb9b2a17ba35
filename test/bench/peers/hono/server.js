/**
 * The same lists and records with Hono and postgres.js, as their documentation shows. With `CACHE_BYTES`, behind a
 * cache of responses, which never expire: the data does not change while this runs.
 */
import { Hono } from "hono"
import { LRUCache } from "lru-cache"
import postgres from "postgres"

const sql = postgres(process.env.DATABASE_URL, { max: 8 })
const columns = sql`id, tenement_id, state, status, type, holder_name, grant_date::text, expiry_date::text, area_km2`
const accounts = new Map()
const totals = new Map()

/** The account of a token; found once in the database, then in memory. */
async function accountOf(header) {
  const token = /^Bearer (\S+)$/i.exec(header ?? "")?.[1]
  if (token === undefined) return undefined
  const sha256 = new Bun.CryptoHasher("sha256").update(token).digest("hex")
  const known = accounts.get(sha256)
  if (known !== undefined) return known
  const [row] =
    await sql`select account_id from tokens where sha256 = ${sha256} and revoked_at is null`
  if (row) accounts.set(sha256, row.account_id)
  return row?.account_id
}

const conditionOf = ({ state, status }) =>
  sql`where ${state === undefined ? sql`true` : sql`state = ${state}`} and ${
    status === undefined ? sql`true` : sql`status_folded = ${status}`
  }`

/** Counted once, then in memory: the data does not change while this runs. */
async function totalOf({ state, status }) {
  const key = `${state} ${status}`
  const known = totals.get(key)
  if (known !== undefined) return known
  const [{ total }] =
    await sql`select count(*)::int as total from tenements ${conditionOf({ state, status })}`
  totals.set(key, total)
  return total
}

const countFrom = (text, fallback) => {
  const value = text === undefined ? fallback : Number(text)
  return Number.isSafeInteger(value) && value > 0 ? value : undefined
}

const app = new Hono()

app.use("/api/v1/*", async (c, next) => {
  const account = await accountOf(c.req.header("Authorization"))
  if (account === undefined) return c.json({ error: { code: "UNAUTHORIZED" } }, 401)
  c.set("account", account)
  await next()
})

if (process.env.CACHE_BYTES) {
  const responses = new LRUCache({
    maxSize: Number(process.env.CACHE_BYTES),
    sizeCalculation: ({ body }) => body.length,
  })
  app.use("/api/v1/*", async (c, next) => {
    const key = c.req.url
    const cached = responses.get(key)
    if (cached) return c.body(cached.body, 200, cached.headers)
    await next()
    if (c.res.status !== 200) return
    const headers = Object.fromEntries(c.res.headers)
    responses.set(key, { body: await c.res.clone().text(), headers })
  })
}

app.get("/api/v1/tenements", async (c) => {
  const { state, status, page: pageText, per_page: perPageText } = c.req.query()
  const page = countFrom(pageText, 1)
  const per_page = countFrom(perPageText, 50)
  if (!page || !per_page || per_page > 100) {
    return c.json({ error: { code: "INVALID_PARAMETER" } }, 400)
  }
  const [rows, total] = await Promise.all([
    sql`select ${columns} from tenements ${conditionOf({ state, status })}
      order by id limit ${per_page} offset ${(page - 1) * per_page}`,
    totalOf({ state, status }),
  ])
  const total_pages = Math.ceil(total / per_page)
  c.header("X-Total-Count", String(total))
  c.header("X-Total-Pages", String(total_pages))
  return c.json({ data: rows, meta: { total, page, per_page, total_pages } })
})

app.get("/api/v1/tenements/:id", async (c) => {
  const [row] = await sql`select ${columns} from tenements where id = ${c.req.param("id")}`
  if (!row) return c.json({ error: { code: "NOT_FOUND" } }, 404)
  return c.json({ data: row })
})

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT),
  fetch: app.fetch,
})
process.stdout.write(`Listening on ${server.url}\n`)
