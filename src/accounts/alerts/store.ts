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
import type { Channel, Subject, Watch } from "./watch.ts"
import { newSecret } from "./webhook.ts"

/** The time for which a replaced secret signs too. */
const formerSecretMs = dayMs
const testEveryMs = 10_000

/** A watch, of this account unless an operator changes it. */
export interface WatchSelector {
  id: number
  accountId?: number
}

/** @throws AccountError where the watch does not exist or is not active */
export const pauseWatch = (editor: Editor, which: WatchSelector): Promise<Changed<void>> =>
  changeWatch(editor, which, async (tx, watch) => {
    if (watch.state !== "active") throw new AccountError("The watch is not active")
    await tx.update(watches).set({ state: "paused" }).where(eq(watches.id, watch.id))
  })

/**
 * Makes a paused or disabled watch active. Its next event covers all changes meanwhile.
 * @throws AccountError where the watch does not exist or is active
 */
export const resumeWatch = (
  editor: Editor,
  { now, ...which }: WatchSelector & { now: Date },
): Promise<Changed<void>> =>
  changeWatch(editor, which, async (tx, { id, state, due_at, event_id }) => {
    if (state === "active") throw new AccountError("The watch is already active")
    const dueAt = event_id === null ? due_at : now.toISOString()
    await tx
      .update(watches)
      .set({ state: "active", reason: null, attempt: 0, due_at: dueAt })
      .where(eq(watches.id, id))
  })

/** @throws AccountError where the watch does not exist */
export const deleteWatch = (editor: Editor, which: WatchSelector): Promise<Changed<void>> =>
  changeWatch(editor, which, async (tx, { id }) => {
    await tx.delete(watches).where(eq(watches.id, id))
  })

/**
 * Makes a new secret. For a day deliveries have the signatures of both.
 * @throws AccountError where the watch does not exist or sends mails
 */
export const replaceSecret = (
  editor: Editor,
  { now, ...which }: WatchSelector & { now: Date },
): Promise<Changed<string>> =>
  changeWatch(editor, which, async (tx, { id, secret: former_secret }) => {
    if (former_secret === null) throw new AccountError("Only webhooks have a secret")
    const secret = newSecret()
    const former_secret_until = new Date(now.getTime() + formerSecretMs).toISOString()
    await tx
      .update(watches)
      .set({ secret, former_secret, former_secret_until })
      .where(eq(watches.id, id))
    return secret
  })

/**
 * Requests a test, which one of the serving processes sends.
 * @throws AccountError where the watch does not exist, or soon after the test before
 */
export const requestTest = (
  editor: Editor,
  { now, ...which }: WatchSelector & { now: Date },
): Promise<Changed<void>> =>
  changeWatch(editor, which, async (tx, { id, is_test_due }) => {
    const since = new Date(now.getTime() - testEveryMs).toISOString()
    const recent = and(
      eq(deliveries.watch_id, id),
      eq(deliveries.type, "test"),
      gt(deliveries.at, since),
    )
    if (is_test_due || (await tx.$count(deliveries, recent)) > 0) {
      throw new AccountError("A test was requested some seconds ago. Wait, then try again")
    }
    await tx.update(watches).set({ is_test_due: true }).where(eq(watches.id, id))
  })

const changeWatch = <T>(
  editor: Editor,
  { id, accountId }: WatchSelector,
  work: (tx: Transaction, watch: typeof watches.$inferSelect) => Promise<T>,
): Promise<Changed<T>> =>
  change(editor, async (tx) => {
    const isOwn = accountId === undefined ? undefined : eq(watches.account_id, accountId)
    const [watch] = await tx
      .select()
      .from(watches)
      .where(and(eq(watches.id, id), isOwn))
      .for("update")
    if (!watch) throw new AccountError("There is no such watch")
    const result = await work(tx, watch)
    await notify(tx, watch.account_id)
    return result
  })

/** Wakes the workers of all processes. */
export const notify = (tx: Transaction, accountId: number) =>
  tx.execute(sql`select pg_notify(${accessChannel}, ${String(accountId)})`)

/** The columns of `Watch`. */
export const watchColumns = {
  id: watches.id,
  accountId: watches.account_id,
  name: watches.name,
  subject: sql<Subject>`${watches.subject}`,
  channel: sql<Channel>`${watches.channel}`,
  state: sql<Watch["state"]>`${watches.state}`,
  reason: watches.reason,
  release: watches.covered_release,
  createdAt: sql<string>`${instantText(watches.created_at)}`,
  lastEventAt: instantText(watches.last_event_at),
}

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

/** The last attempts of a watch, the newest first. */
export const deliveriesOf = (
  pool: Pool,
  { accountId, id }: Pick<Watch, "accountId" | "id">,
  limit = 100,
) =>
  pool.runAlone(accountId, (db) =>
    db
      .select({ ...getTableColumns(deliveries), at: sql<string>`${instantText(deliveries.at)}` })
      .from(deliveries)
      .where(eq(deliveries.watch_id, id))
      .orderBy(desc(deliveries.id))
      .limit(limit),
  )
