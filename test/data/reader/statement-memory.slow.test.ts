/** Filters combine to thousands of statements: a process and its sessions keep those in use. */
import { expect, test } from "bun:test"
import { readFileSync } from "node:fs"
import { afterFile } from "../../support/of-file.ts"
import { serviceProcess } from "../../support/process.ts"
import { serviceOfFile } from "../../support/service.ts"

const { database, sql, tokens } = await serviceOfFile()
const service = await serviceProcess({
  DATABASE_URL: database.url,
  CACHE_MEMORY_MB: "0",
  LOG_LEVEL: "warn",
})
afterFile(service.stop)

const filters = [
  "state=WA",
  "status=granted",
  "type=exploration",
  "holder=gold",
  "held_by=BIG",
  "search=E47",
  "company=BIG",
  "granted_from=2001-01-01",
  "granted_to=2030-01-01",
  "expires_from=2001-01-01",
  "expires_to=2040-01-01",
  "bbox=112,-40,154,-10",
  "near=-30.75,121.47,200",
]

/** Resident memory, in megabytes. */
const memoryOf = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

async function memoryOfSessions(): Promise<number> {
  const sessions = await sql<{ pid: number }[]>`
    select pid from pg_stat_activity where datname = current_database() and application_name = 'mds lists'`
  return sessions.reduce((sum, { pid }) => sum + memoryOf(pid), 0)
}

async function read(combination: number): Promise<void> {
  const query = filters.filter((_, bit) => combination & (1 << bit)).join("&")
  const response = await service.get(`/tenements?${query}`, tokens.admin)
  expect(response.status).toBe(200)
  await response.arrayBuffer()
}

/** Reads several at a time, so that the account's sessions share them. */
async function walk(from: number, to: number): Promise<void> {
  const atOnce = 5
  for (let first = from; first < to; first += atOnce) {
    await Promise.all(Array.from({ length: atOnce }, (_, index) => read(first + index)))
  }
}

test("5,000 combinations of filters take less than 150 MB, and the database's sessions as little", async () => {
  await walk(0, 100)
  const before = { service: memoryOf(service.pid), sessions: await memoryOfSessions() }
  await walk(100, 5_100)
  const grown = memoryOf(service.pid) - before.service
  const grownSessions = (await memoryOfSessions()) - before.sessions
  expect(grown).toBeLessThan(150)
  expect(grownSessions).toBeLessThan(150)
}, 300_000)
