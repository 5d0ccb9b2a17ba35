/** Watches, which owners make and change in the account area and operators on the command line. */
import { and, asc, desc, eq, getTableColumns, gt, sql } from "drizzle-orm"
import { accountsTable } from "../../data/db/account-tables.ts"
import { deliveries, watches } from "../../data/db/alert-tables.ts"
import { accessChannel } from "../../data/db/notifications.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import { instantText } from "../../data/resources/values.ts"
import { dayMs } from "../../system/text/time.ts"
import {
  AccountError,
  type Changed,
  change,
  type Editor,
  type Transaction,
} from "../access/change.ts"
import type { Channel, Subject } from "./watch.ts"
import { newSecret } from "./webhook.ts"

/** The time for which a replaced secret signs too. */
const formerSecretMs = dayMs
const testEveryMs = 10_000

/** A watch, of this account unless an operator changes it. */
export interface WatchSelector {
  id: number
  accountId?: number
  /** The time of the change. */
  now: Date
}

/** A change of a watch. @throws AccountError where the watch does not exist, and for the reasons that it gives */
export type WatchChange<T = void> = (editor: Editor, which: WatchSelector) => Promise<Changed<T>>

export const pauseWatch = changing(async (tx, { id, state }) => {
  if (state !== "active") throw new AccountError("The watch is not active")
  await set(tx, id, { state: "paused" })
})

/** Makes a paused or disabled watch active. Its next event covers all changes meanwhile. */
export const resumeWatch = changing(async (tx, { id, state, due_at, event_id }, now) => {
  if (state === "active") throw new AccountError("The watch is already active")
  const dueAt = event_id === null ? due_at : now.toISOString()
  await set(tx, id, { state: "active", reason: null, attempt: 0, due_at: dueAt })
})

export const deleteWatch = changing(async (tx, { id }) => {
  await tx.delete(watches).where(eq(watches.id, id))
})

/** Makes a new secret of a webhook. For a day deliveries have the signatures of both. */
export const replaceSecret = changing(async (tx, { id, secret: former_secret }, now) => {
  if (former_secret === null) throw new AccountError("Only webhooks have a secret")
  const secret = newSecret()
  const former_secret_until = new Date(now.getTime() + formerSecretMs).toISOString()
  await set(tx, id, { secret, former_secret, former_secret_until })
  return secret
})

/** Requests a test, which one of the serving processes sends. */
export const requestTest = changing(async (tx, { id, is_test_due }, now) => {
  const since = new Date(now.getTime() - testEveryMs).toISOString()
  const ofWatch = eq(deliveries.watch_id, id)
  const recent = and(ofWatch, eq(deliveries.type, "test"), gt(deliveries.at, since))
  if (is_test_due || (await tx.$count(deliveries, recent)) > 0) {
    throw new AccountError("A test was requested some seconds ago. Wait, then try again")
  }
  await set(tx, id, { is_test_due: true })
})

type Row = typeof watches.$inferSelect

const set = (tx: Transaction, id: number, columns: Partial<Row>) =>
  tx.update(watches).set(columns).where(eq(watches.id, id))

function changing<T>(work: (tx: Transaction, row: Row, now: Date) => Promise<T>): WatchChange<T> {
  return (editor, { id, accountId, now }) =>
    change(editor, async (tx) => {
      const isOwn = accountId === undefined ? undefined : eq(watches.account_id, accountId)
      const [row] = await tx
        .select()
        .from(watches)
        .where(and(eq(watches.id, id), isOwn))
        .for("update")
      if (!row) throw new AccountError("There is no such watch")
      const result = await work(tx, row, now)
      await notify(tx, row.account_id)
      return result
    })
}

/** Wakes the workers of all processes. */
export const notify = (tx: Transaction, accountId: number) =>
  tx.execute(sql`select pg_notify(${accessChannel}, ${String(accountId)})`)

export const watchColumns = {
  id: watches.id,
  accountId: watches.account_id,
  name: watches.name,
  subject: sql<Subject>`${watches.subject}`,
  channel: sql<Channel>`${watches.channel}`,
  state: watches.state,
  isTestDue: watches.is_test_due,
  /** Why it is disabled. */
  reason: watches.reason,
  /** The newest release that its last event covered. */
  release: watches.covered_release,
  /** `2026-01-02T03:04:05Z` */
  createdAt: sql<string>`${instantText(watches.created_at)}`,
  lastEventAt: instantText(watches.last_event_at),
}

export type Watch = Awaited<ReturnType<typeof watchesOf>>[number]

/** The watches of an account, or of all with null, with the addresses of their accounts. The newest last. */
export const watchesOf = (pool: Pool, accountId: number | null) =>
  pool.runAlone(accountId, (db) =>
    db
      .select({ ...watchColumns, email: accountsTable.email })
      .from(watches)
      .innerJoin(accountsTable, eq(accountsTable.id, watches.account_id))
      .where(accountId === null ? undefined : eq(watches.account_id, accountId))
      .orderBy(asc(watches.id)),
  )

export type DeliveryRow = Awaited<ReturnType<typeof deliveriesOf>>[number]

/** The last hundred attempts of a watch, the newest first. */
export const deliveriesOf = (pool: Pool, { accountId, id }: Pick<Watch, "accountId" | "id">) =>
  pool.runAlone(accountId, (db) =>
    db
      .select({ ...getTableColumns(deliveries), at: sql<string>`${instantText(deliveries.at)}` })
      .from(deliveries)
      .where(eq(deliveries.watch_id, id))
      .orderBy(desc(deliveries.id))
      .limit(100),
  )
