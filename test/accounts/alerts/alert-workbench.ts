/** Services that send events to a receiver of the test's own, on one database, with a clock that the test sets. */
import { drizzle } from "drizzle-orm/postgres-js"
import { accountByEmail } from "../../../src/accounts/access/accounts.ts"
import { createWatch, type NewWatch } from "../../../src/accounts/alerts/create-watch.ts"
import type { WatchChange } from "../../../src/accounts/alerts/store.ts"
import { type GivenSubject, subjectOf } from "../../../src/accounts/alerts/watch.ts"
import { createPool } from "../../../src/data/db/pool/pool.ts"
import { readList } from "../../contract/bodies.ts"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { afterFile } from "../../support/of-file.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { until } from "../../support/until.ts"

export interface ReceivedEvent {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown> & { watch: { id: number; name: string }; release: number }
  /** As received. */
  body: string
  path: string
  signature: string
}

/** Receives events at any path, and responds as the test chooses. */
export function eventReceiver() {
  const events: ReceivedEvent[] = []
  const chosen: { respond: (event: ReceivedEvent) => Response | Promise<Response> } = {
    respond: () => new Response(null, { status: 204 }),
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const body = await request.text()
      const id = request.headers.get("webhook-id") ?? ""
      const signature = request.headers.get("webhook-signature") ?? ""
      const path = new URL(request.url).pathname
      const event = { ...JSON.parse(body), id, body, path, signature }
      events.push(event)
      return chosen.respond(event)
    },
  })
  return { events, chosen, url: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

/** Makes a workbench for the tests of a file. */
export async function alertWorkbench({
  records = awkward,
  mail = {},
}: {
  records?: Fixtures
  /** The settings of mails. */
  mail?: Record<string, string>
} = {}) {
  const settings = { WEBHOOK_PRIVATE: "true", ...mail }
  const service = await serviceOfFile({ records, settings })
  const receiver = eventReceiver()
  afterFile(receiver.stop)
  const pool = createPool(service.database.url, {
    name: "test",
    connections: 1,
    statementTimeoutMs: 10_000,
  })
  afterFile(pool.close)

  async function accountOf(email: string): Promise<number> {
    await service.issue(email)
    const account = await accountByEmail(drizzle(service.sql), email)
    return account?.id ?? 0
  }
  const owner = await accountOf("owner@example.com")

  const watch = async (
    given: GivenSubject,
    { path = "/", ...others }: Partial<NewWatch> & { path?: string } = {},
  ) => {
    const made = await createWatch(service.editor, {
      email: "owner@example.com",
      name: "A watch",
      subject: subjectOf(given),
      channel: { kind: "webhook", url: `${receiver.url}${path}` },
      now: service.clock.now,
      ...others,
    })
    return made.value
  }

  /** Makes every worker look at once. */
  const wake = () => service.sql`select pg_notify('mds_releases', '')`

  /** Waits until the workers have nothing to do at this time. */
  async function settled(): Promise<void> {
    await wake()
    const now = () => service.clock.now.toISOString()
    await until(async () => {
      const [row] = await service.sql`select count(*)::int as due from watches w
        where state = 'active' and (event_id is not null and due_at <= ${now()}
          or event_id is null and (due_at <= ${now()} or coalesce(channel ->> 'when', 'at-once') = 'at-once'
            and covered_release is distinct from coalesce((select max(id) from releases), 0))
          or is_test_due)`
      return row?.due === 0
    })
  }

  return {
    service,
    sql: service.sql,
    pool,
    owner,
    accountOf,
    receiver,
    watch,
    change: <T>(work: WatchChange<T>, id: number) =>
      work(service.editor, { id, now: service.clock.now }),
    wake,
    settled,
    /** Starts another process on the same database, with the same clock. `await using` stops it. */
    another: async () => {
      const other = await testService({ beside: service, settings, now: service.clock.now })
      Object.defineProperty(other.clock, "now", { get: () => service.clock.now })
      return other
    },
    advance: async (ms: number) => {
      service.clock.advance(ms)
      await wake()
    },
    /** What the log says of disabled watches. Each line follows the commit of its row: wait for it. */
    disabledLines: () =>
      service.logLines
        .map((line) => JSON.parse(line))
        .filter(({ event }) => event === "watch disabled"),
    /** The total of the list at an address of an event. */
    totalAt: async (address: unknown): Promise<number> => {
      const { pathname, search } = new URL(String(address))
      const path = pathname.replace("/api/v1", "")
      const response = await service.get(`${path}${search}`)
      return (await readList(response)).meta.total
    },
    newReceiver: eventReceiver,
  }
}
