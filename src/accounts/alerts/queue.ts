/**
 * The statements of the worker. Each watch has a cursor and a lease in place of a queue: processes share the watches
 * with SKIP LOCKED, and store an outcome only where no other process has taken the watch meanwhile.
 */
import { and, eq, inArray, isNull, lte, or, type SQL, sql } from "drizzle-orm"
import { accountsTable } from "../../data/db/account-tables.ts"
import { deliveries, watches } from "../../data/db/alert-tables.ts"
import type { Database, Pool } from "../../data/db/pool/pool.ts"
import { releasesTable } from "../../data/db/schema.ts"
import type { Release } from "../../data/reader/releases.ts"
import { minuteMs } from "../../system/text/time.ts"
import { attribute, type Transaction } from "../access/change.ts"
import { watchColumns } from "./store.ts"
import type { Outcome } from "./webhook.ts"

/** Longer than an attempt, and than the count of a list. */
const leaseMs = minuteMs
/** The most watches that one process looks at before others can take more. */
const batch = 50

/** Attempts in progress to one host: a slow receiver leaves places to others. */
const perHost = 2

const isEnabled = sql`exists (select from ${accountsTable} account
  where account.id = ${watches.account_id} and account.disabled_at is null)`
/** Other watches look at their own times. */
const looksAtReleases = sql`coalesce(${watches.channel} ->> 'when', 'at-once') = 'at-once'`
/** Whether the release of a cursor can be read. Before the first release nothing can be pruned. */
const isReadable = (id: SQL, identity: SQL) => sql<boolean>`case when ${id} = 0
  then not exists (select from ${releasesTable} r where r.is_pruned)
  else exists (select from ${releasesTable} r where r.id = ${id} and r.identity = ${identity} and not r.is_pruned) end`

const taken = {
  ...watchColumns,
  identity: sql<string>`coalesce(${watches.covered_identity}::text, '')`,
  leasedUntil: sql<string>`${watches.leased_until}`,
}

const identityOf = ({ identity }: Release) => (identity === "" ? null : identity)

export type TakenWatch = Awaited<ReturnType<Queue["takeWatches"]>>[number]
export type TakenDelivery = Awaited<ReturnType<Queue["takeDeliveries"]>>[number]

interface Leased {
  id: number
  leasedUntil: string
}

interface CursorMove {
  to: Release
  /** In Sydney. */
  day: string
  dueAt: Date | null
  /** The event that is new; null for nothing new. */
  body: string | null
}

/** An attempt to deliver. */
export interface Attempt {
  at: Date
  eventId: string
  type: string
  release: number
  /** From 1. */
  attempt: number
  outcome: Outcome
}

/** What follows an attempt. */
export type FollowUp =
  | { kind: "tested" }
  | { kind: "delivered"; dueAt: Date | null }
  | { kind: "retried"; dueAt: Date }
  | { kind: "disabled"; reason: string }

export type Queue = ReturnType<typeof createQueue>

/** Its functions throw Unavailable. */
export function createQueue(pool: Pool, now: () => Date) {
  const run = <T>(statement: (db: Database) => Promise<T>) => pool.runAlone(null, statement)
  const at = (date = now()) => date.toISOString()
  const isFree = () => or(isNull(watches.leased_until), lte(watches.leased_until, at()))
  const holds = (leased: readonly Leased[]) =>
    and(
      inArray(
        watches.id,
        Array.from(leased, ({ id }) => id),
      ),
      inArray(
        watches.leased_until,
        Array.from(leased, ({ leasedUntil }) => leasedUntil),
      ),
    )
  const lease = () => ({ leased_until: at(new Date(now().getTime() + leaseMs)) })

  return {
    /** Moves the cursors where no release since then touched the resource. Materialized, each cursor is judged once. */
    moveUntouched: (to: Release) =>
      run((db) =>
        db.execute(sql`
          with cursors as materialized (
            select distinct covered_release, covered_identity, resource from ${watches}
            where state = 'active' and event_id is null and covered_release < ${to.id}),
          untouched as materialized (
            select * from cursors where ${isReadable(sql`covered_release`, sql`covered_identity`)} and not exists (
              select from ${releasesTable} r where r.id > covered_release and r.id <= ${to.id} and coalesce(
                r.manifest -> 'resources' ? resource or r.manifest #> '{links,changed}' ? resource,
                not r.manifest ? 'resources' or resource is null)))
          update ${watches} w set covered_release = ${to.id}, covered_identity = ${identityOf(to)}
          from untouched u
          where w.state = 'active' and w.event_id is null and w.resource = u.resource
            and (w.leased_until is null or w.leased_until <= ${at()})
            and w.covered_release = u.covered_release
            and w.covered_identity is not distinct from u.covered_identity`),
      ),

    /** Takes watches of which something may be new at a release. */
    takeWatches: (to: Release) =>
      run((db) => {
        const isBehind = sql`(${watches.covered_release}, ${watches.covered_identity})
          is distinct from (${to.id}::integer, ${identityOf(to)}::uuid)`
        const due = and(
          isEnabled,
          eq(watches.state, "active"),
          isNull(watches.event_id),
          isFree(),
          // Another process may have covered a release that this one has not seen.
          lte(watches.covered_release, to.id),
          or(lte(watches.due_at, at()), and(looksAtReleases, isBehind)),
        )
        // Watches whose lease has ended come last, as their count may end in another timeout.
        return db
          .update(watches)
          .set(lease())
          .where(
            sql`${watches.id} in (select id from ${watches} where ${due}
              order by leased_until nulls first, id limit ${batch} for update skip locked)`,
          )
          .returning({
            ...taken,
            day: watches.covered_day,
            isReadable: isReadable(sql`covered_release`, sql`covered_identity`),
          })
      }),

    /** Moves the cursors of watches, and stores the event that is new, in one statement. */
    moveCursors: (leased: readonly Leased[], { to, day, dueAt, body }: CursorMove) =>
      run((db) =>
        db
          .update(watches)
          .set({
            covered_release: to.id,
            covered_identity: identityOf(to),
            covered_day: sql`case when ${watches.subject} ->> 'kind' = 'expiry' then greatest(covered_day, ${day}::date) end`,
            due_at: dueAt && at(dueAt),
            leased_until: null,
            ...(body !== null && {
              event_id: crypto.randomUUID(),
              event_body: body,
              event_since: sql`${watches.covered_release}`,
              attempt: 0,
              last_event_at: at(),
            }),
          })
          .where(holds(leased)),
      ),

    /** Takes watches with a test or a due event. */
    takeDeliveries: (free: number) =>
      run((db) => {
        const due = sql`(is_test_due or state = 'active' and event_id is not null and due_at <= ${at()}) and ${isEnabled}`
        const order = sql`is_test_due desc, due_at, id`
        // A leased watch with an event or a test is an attempt in progress, of any process.
        const ranked = sql`select id, row_number() over (partition by host order by ${isFree()}, ${order}) as place
          from ${watches} where ${due} or (event_id is not null and not (${isFree()}))`
        return db
          .update(watches)
          .set(lease())
          .where(
            sql`${watches.id} in (select id from ${watches}
              where id in (select id from (${ranked}) as ranked where place <= ${perHost}) and ${due} and ${isFree()}
              order by ${order} limit ${free} for update skip locked)`,
          )
          .returning({ ...taken, ...sent(at()) })
      }),

    /** Stores an attempt and what follows, if the lease still holds. @returns whether the watch was disabled */
    storeAttempt: (leased: Leased, attempted: Attempt, after: FollowUp): Promise<boolean> =>
      run((db) =>
        db.transaction(async (tx) => {
          await attribute(tx, { who: "the service", origin: "watches" })
          const [held] = await tx
            .update(watches)
            .set({ ...changesAfter(after), leased_until: null })
            .where(holds([leased]))
            .returning({ state: watches.state })
          if (!held) return false
          await insertAttempt(tx, leased.id, attempted)
          if (after.kind !== "disabled" || held.state !== "active") return false
          await tx
            .update(watches)
            .set({ state: "disabled", reason: after.reason })
            .where(eq(watches.id, leased.id))
          return true
        }),
      ),

    /** When the next watch is due, or the lease of another process ends; null for none. */
    nextDue: async (): Promise<Date | null> => {
      const later = sql`greatest(due_at, leased_until)`
      const [row] = await run((db) =>
        db
          .select({ due: sql<string | null>`min(${later})` })
          .from(watches)
          .where(sql`state = 'active' and ${later} > ${at()}`),
      )
      return row?.due ? new Date(row.due) : null
    },
  }
}

/** What an attempt sends. */
const sent = (nowText: string) => ({
  email: sql<string>`(select email from ${accountsTable} account where account.id = account_id)`,
  secrets: sql<string[]>`to_jsonb(array_remove(
    array[secret, case when former_secret_until > ${nowText} then former_secret end], null))`,
  isTest: watches.is_test_due,
  eventId: sql<string>`case when is_test_due then gen_random_uuid() else event_id end`,
  body: sql<string>`${watches.event_body}`,
  since: sql<number>`${watches.event_since}`,
  attempt: sql<number>`case when is_test_due then 1 else ${watches.attempt} + 1 end`,
})

function changesAfter(after: FollowUp) {
  if (after.kind === "tested") return { is_test_due: false }
  if (after.kind === "delivered") {
    const none = { event_id: null, event_body: null, event_since: null, attempt: 0 }
    return { ...none, due_at: after.dueAt?.toISOString() ?? null }
  }
  const attempt = sql`${watches.attempt} + 1`
  return after.kind === "retried" ? { attempt, due_at: after.dueAt.toISOString() } : { attempt }
}

const insertAttempt = (tx: Transaction, watch_id: number, attempted: Attempt) => {
  const { at, eventId, outcome, ...others } = attempted
  const { ok, status, reason, ms } = outcome
  return tx.insert(deliveries).values({
    ...others,
    watch_id,
    event_id: eventId,
    at: at.toISOString(),
    is_ok: ok,
    status,
    reason,
    ms,
  })
}
