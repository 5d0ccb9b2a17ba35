/** Watches, which owners make and change in the account area and operators on the command line. */
import { and, asc, desc, eq, gt, type SQL, sql } from "drizzle-orm"
import { accountsTable } from "../../data/db/account-tables.ts"
import { deliveries, watches } from "../../data/db/alert-tables.ts"
import { changesChannel } from "../../data/db/notifications.ts"
import type { Pool } from "../../data/db/pool/pool.ts"
import { releasesTable } from "../../data/db/schema.ts"
import { instantText } from "../../data/resources/values.ts"
import { dayMs } from "../../system/text/time.ts"
import {
  AccountError,
  type Changed,
  change,
  type Editor,
  type Transaction,
} from "../access/change.ts"
import { lockAccount, nameOf } from "../access/tokens.ts"
import { firstLook } from "./schedule.ts"
import type { Channel, Subject, Watch } from "./watch.ts"
import { checkAddress, newSecret, type WebhookSettings } from "./webhook.ts"

/** The most watches of an account. */
const maxWatches = 50
/** The time for which a replaced secret signs too. */
const formerSecretMs = dayMs
const testEveryMs = 10_000

export interface NewWatch {
  accountId: number
  name: string
  subject: Subject
  channel: Channel
  settings: WebhookSettings
  now: Date
}

/** A watch, of this account unless an operator changes it. */
export interface WatchSelector {
  id: number
  accountId?: number
}

export interface MadeWatch {
  id: number
  /** Of a webhook. It is not shown again. */
  secret: string | null
}

/**
 * Makes a watch, whose cursor is the newest release.
 * @throws AccountError where the name or the address is not valid, or the account is disabled or has enough watches
 */
export async function createWatch(
  editor: Editor,
  { accountId, name, subject, channel, settings, now }: NewWatch,
): Promise<Changed<MadeWatch>> {
  const isWebhook = channel.kind === "webhook"
  if (isWebhook) await checkAddress(channel.url, settings)
  return change(editor, async (tx) => {
    await lockAccount(tx, accountId)
    if ((await tx.$count(watches, eq(watches.account_id, accountId))) >= maxWatches) {
      throw new AccountError(
        `An account can have ${maxWatches} watches. Delete one that is no longer needed, then try again`,
      )
    }
    const [newest] = await tx
      .select({ id: releasesTable.id, identity: releasesTable.identity })
      .from(releasesTable)
      .orderBy(desc(releasesTable.id))
      .limit(1)
    const secret = isWebhook ? newSecret() : null
    const [made] = await tx
      .insert(watches)
      .values({
        account_id: accountId,
        name: nameOf("watch", name),
        subject,
        channel,
        resource: resourceOf(subject),
        host: isWebhook ? new URL(channel.url).host : "mail",
        secret,
        created_at: now.toISOString(),
        covered_release: newest?.id ?? 0,
        covered_identity: newest?.identity ?? null,
        due_at: firstLook(subject, channel, now)?.toISOString() ?? null,
      })
      .returning({ id: watches.id })
    if (!made) throw new Error("A watch was not inserted")
    await notify(tx, accountId)
    return { id: made.id, secret }
  })
}

/** Lists and records of a resource begin with its name, lists of a company end with it. */
function resourceOf(subject: Subject): string | null {
  if (subject.kind === "releases") return null
  const [place = ""] = subject.path.split("?")
  const [, first = "", , last] = place.split("/")
  return subject.kind === "record" ? first : (last ?? first)
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
const notify = (tx: Transaction, accountId: number) =>
  tx.execute(sql`select pg_notify(${changesChannel}, ${String(accountId)})`)

/** Also of every account, with null. The newest last. */
export const watchesOf = (pool: Pool, accountId: number | null) =>
  readWatches(pool, accountId, accountId === null ? undefined : eq(watches.account_id, accountId))

/** @returns undefined where the account has no such watch */
export async function watchOf(pool: Pool, { accountId, id }: Required<WatchSelector>) {
  const own = and(eq(watches.account_id, accountId), eq(watches.id, id))
  return (await readWatches(pool, accountId, own))[0]
}

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

const readWatches = (pool: Pool, account: number | null, condition: SQL | undefined) =>
  pool.runAlone(account, (db) =>
    db
      .select({ ...watchColumns, email: accountsTable.email })
      .from(watches)
      .innerJoin(accountsTable, eq(accountsTable.id, watches.account_id))
      .where(condition)
      .orderBy(asc(watches.id)),
  )

export type DeliveryRow = Awaited<ReturnType<typeof deliveriesOf>>[number]

/** The last attempts of a watch, the newest first. */
export const deliveriesOf = (pool: Pool, { accountId, id }: Required<WatchSelector>, limit = 100) =>
  pool.runAlone(accountId, (db) =>
    db
      .select({
        at: sql<string>`${instantText(deliveries.at)}`,
        type: deliveries.type,
        release: deliveries.release,
        attempt: deliveries.attempt,
        isOk: deliveries.is_ok,
        status: deliveries.status,
        reason: deliveries.reason,
        ms: deliveries.ms,
      })
      .from(deliveries)
      .innerJoin(watches, eq(watches.id, deliveries.watch_id))
      .where(and(eq(watches.account_id, accountId), eq(watches.id, id)))
      .orderBy(desc(deliveries.id))
      .limit(limit),
  )
