/** The pages for people: how long each takes, and what the service computes for it, which is all but the database's part. */

import { createSessions } from "../../../src/access/sessions.ts"
import { issueToken } from "../../../src/access/tokens.ts"
import { createPool } from "../../../src/db/pool/pool.ts"
import type { Environment } from "../environment.ts"
import { cpuSecondsOf, type ServerProcess } from "../processes.ts"
import { rounds } from "../rounds.ts"
import type { Figure, Row, Target } from "../row.ts"
import { listPage } from "../sides.ts"
import { median } from "../statistics.ts"

const pages: Readonly<Record<string, string>> = {
  overview: "/",
  "index of the documentation": "/docs",
  "page of the guide": "/docs/guide/paging",
  reference: "/docs/reference/tenements",
  "sign in": "/account/sign-in",
  "ten tokens": "/account/tokens",
  usage: "/account/usage",
  "50 tenements": "/explore/tenements?per_page=50",
}

const email = "bench-pages@example.com"
const tokens = 10
const dayMs = 86_400_000
/** Enough that the clock of a process, which counts in hundredths of a second, says something. */
const requestsInRound = 100

const computed = (name: string) => `${name}, without the database`

export const webPages: Row = {
  name: "web-pages",
  work: "a page for people",
  needs: ["/proc"],
  targets: Object.keys(pages).flatMap((name): Target[] => [
    { figure: name },
    { figure: computed(name), atMost: 20 },
  ]),
  run: async (environment) => {
    const service = await environment.freshService()
    const headers = { Accept: "text/html", Cookie: await sessionOf(environment, service) }
    const figures: Record<string, Figure> = {}
    const firsts: string[] = []
    for (const [name, path] of Object.entries(pages)) {
      const open = () => opened(service.url + path, headers)
      firsts.push(`${name} ${(await open()).toFixed(0)} ms`)
      const cpu: number[] = []
      const { ours = [] } = await rounds(
        environment.rounds,
        {
          ours: async () => {
            const before = cpuSecondsOf(service.pid)
            const times: number[] = []
            for (let count = 0; count < requestsInRound; count++) times.push(await open())
            cpu.push(((cpuSecondsOf(service.pid) - before) * 1_000) / requestsInRound)
            return median(times)
          },
        },
        { warmUp: true },
      )
      figures[name] = { unit: "ms", samples: ours }
      figures[computed(name)] = { unit: "ms", samples: cpu.slice(-environment.rounds) }
    }
    return { figures, notes: [`opened first after a start: ${firsts.join(", ")}`] }
  },
}

/** @returns how long it took, in milliseconds */
async function opened(url: string, headers: Record<string, string>): Promise<number> {
  const startedMs = performance.now()
  const response = await fetch(url, { headers, redirect: "manual" })
  await response.arrayBuffer()
  if (response.status !== 200) throw new Error(`${url} was answered with ${response.status}`)
  return performance.now() - startedMs
}

/** Signs in to an account that has its tokens and has used one of them. @returns the cookie */
async function sessionOf({ url, sql }: Environment, service: ServerProcess): Promise<string> {
  const editor = { url, who: "bench", origin: "bench" }
  const valid = () => sql`
    select account_id::int from tokens join accounts on accounts.id = account_id
    where email = ${email} and expires_at > now() + interval '1 hour'`
  const expiresAt = new Date(Date.now() + dayMs)
  const issue = () => issueToken(editor, { email, name: "bench", expiresAt })
  for (let count = (await valid()).length; count < tokens - 1; count++) await issue()
  const { value: token } = await issue()
  await sql`update accounts set plan = 'admin', request_limit = null where email = ${email}`
  const headers = { Authorization: `Bearer ${token}` }
  for (const path of [listPage, `${listPage}?state=nope`, `${listPage}/none`]) {
    for (let page = 0; page < 20; page++) await fetch(service.url + path, { headers })
  }
  const pool = createPool(url, {
    name: "bench",
    connections: 1,
    queueLength: 1,
    statementTimeoutMs: 10_000,
  })
  try {
    const [account] = await valid()
    const sessions = createSessions({
      pool,
      onUseNotRecorded: (error) => {
        throw error
      },
    })
    const client = { address: "127.0.0.1", userAgent: "bench" }
    const cookie = await sessions.start(account?.account_id, client, new Date())
    return `__Host-session=${cookie}`
  } finally {
    await pool.close()
  }
}
