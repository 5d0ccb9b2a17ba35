/** A person at a browser: keeps the session's cookie, sends forms as browsers do, and follows nothing by itself. */
import { expect } from "bun:test"
import { createSignInLinks, issueLink } from "../../../src/accounts/access/sign-in-links.ts"
import { createPool, type Pool } from "../../../src/data/db/pool/pool.ts"
import type { TestService } from "../../support/service.ts"

export type Visitor = ReturnType<typeof visitor>
export type SignedInVisitor = Awaited<ReturnType<typeof signedInVisitor>>

/** The fields of a form: by name, or in turn where a name is repeated. */
export type Form = Record<string, string> | URLSearchParams

export interface Visit {
  headers?: Record<string, string>
}

export function visitor({ url }: Pick<TestService, "url">, userAgent = "Mozilla/5.0 (a test)") {
  const jar = { cookie: null as string | null }

  async function send(path: string, init: RequestInit, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}${path}`, {
      redirect: "manual",
      ...init,
      headers: {
        Accept: "text/html",
        // A compressed length depends on the text.
        "Accept-Encoding": "identity",
        "User-Agent": userAgent,
        ...(jar.cookie !== null && { Cookie: `__Host-session=${jar.cookie}` }),
        ...headers,
      },
    })
    const set = response.headers.get("set-cookie")
    if (set !== null) jar.cookie = /^__Host-session=([^;]*)/.exec(set)?.[1] || null
    return response
  }

  const get = (path: string, { headers }: Visit = {}) => send(path, {}, headers)

  return {
    jar,
    get,
    /** The HTML of a page that must be there. */
    read: async (path: string, status = 200): Promise<string> => {
      const response = await get(path)
      const html = await response.text()
      if (response.status !== status) throw new Error(`${path}: ${response.status} ${html}`)
      return html
    },
    /** Sends a form from a page of the service. */
    post: (path: string, form: Form = {}, { headers }: Visit = {}) =>
      send(
        path,
        { method: "POST", body: new URLSearchParams(form) },
        { "Sec-Fetch-Site": "same-origin", ...headers },
      ),
  }
}

type Stored = Pick<TestService, "database" | "clock">

export interface SignInOptions {
  /** When, by default now by the service's clock. */
  at?: Date
}

/** Signs in without the pages for it. Makes the account, on the standard plan, where there is none. */
export async function signedInVisitor(
  service: TestService,
  email: string,
  { at = service.clock.now }: SignInOptions = {},
) {
  await service.sql`insert into accounts (email, email_folded, plan)
    values (${email}, ${email}, 'standard') on conflict do nothing`
  const [account] = await service.sql`select id::int from accounts where email = ${email}`
  const accountId = account?.id as number
  const person = visitor(service)
  person.jar.cookie = await withPool(service, async (pool) => {
    const { redeem } = createSignInLinks({ pool, isSignUpOpen: false })
    const client = { address: "192.0.2.1", userAgent: "test" }
    return redeem(await issueLink(pool, email, at), client, at)
  })
  return { ...person, accountId, email }
}

/** A one-time link of an account, as the command line makes it. @returns its secret */
export const linkSecret = (service: Stored, email: string): Promise<string> =>
  withPool(service, (pool) => issueLink(pool, email, service.clock.now))

/** Signs in as people do, with a one-time link of their account. */
export async function signedInByLink(
  service: Pick<TestService, "url"> & Stored,
  email: string,
  userAgent?: string,
) {
  const person = visitor(service, userAgent)
  const response = await person.post("/account/link", { link: await linkSecret(service, email) })
  expect(response.status).toBe(303)
  return person
}

/** Reads and writes as a process of the service. */
export async function withPool<T>(
  { database }: Stored,
  use: (pool: Pool) => Promise<T>,
): Promise<T> {
  const pool = createPool(database.url, {
    name: "test",
    connections: 1,
    statementTimeoutMs: 10_000,
  })
  try {
    return await use(pool)
  } finally {
    await pool.close()
  }
}
