/**
 * The statements of the worker. Each watch has a cursor and a lease in place of a queue: processes share the watches
 * with SKIP LOCKED, and store an outcome only where no other process has taken the watch meanwhile.
 */
import { and, eq, inArray, isNotNull, isNull, lte, or, type SQL, sql } from "drizzle-orm"
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

const isActive = sql`${watches.state} = 'active' and exists (select from ${accountsTable} account
  where account.id = ${watches.account_id} and account.disabled_at is null)`
/** Other watches look at their own times. */
const looksAtReleases = sql`coalesce(${watches.channel} ->> 'when', 'at-once') = 'at-once'`
/** Whether the release of a cursor can be read. Before the first release nothing can be pruned. */
const isReadable = (id: SQL, identity: SQL) => sql<boolean>`case when ${id} = 0
  then not exists (select from ${releasesTable} r where r.is_pruned)
  else exists (select from ${releasesTable} r where r.id = ${id} and r.identity = ${identity} and not r.is_pruned) end`

const taken = { ...watchColumns, leasedUntil: sql<string>`${watches.leased_until}` }

const identityOf = ({ identity }: Release) => (identity === "" ? null : identity)
const cursorAt = (to: Release) => ({ covered_release: to.id, covered_identity: identityOf(to) })

export type TakenWatch = Awaited<ReturnType<Queue["takeWatches"]>>[number]
export type TakenEvent = Awaited<ReturnType<Queue["takeEvents"]>>[number]
export type TakenTest = Awaited<ReturnType<Queue["takeTests"]>>[number]

interface Leased {
  id: number
  leasedUntil: string
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

/** What an attempt leaves of the event in progress. */
export type AfterAttempt =
  | { kind: "delivered"; dueAt: Date | null }
  | { kind: "retried"; dueAt: Date }
  | { kind: "disabled"; reason: string }

export type Queue = ReturnType<typeof createQueue>

/** Its functions throw Unavailable. */
export function createQueue(pool: Pool, now: () => Date) {
  const run = <T>(statement: (db: Database) => Promise<T>) => pool.runAlone(null, statement)
  const at = (date = now()) => date.toISOString()
  const isFree = () => or(isNull(watches.leased_until), lte(watches.leased_until, at()))
  const holds = (ids: readonly number[], leasedUntil: string) =>
    and(inArray(watches.id, [...ids]), eq(watches.leased_until, leasedUntil))
  const lease = () => ({ leased_until: at(new Date(now().getTime() + leaseMs)) })

  /**
   * The first of the due watches, of each host at most as many as are free.
   * @param busy the numbers of attempts in progress by host
   */
  const firstOf = (due: SQL | undefined, busy: ReadonlyMap<string, number>, free: number) => {
    const others = JSON.stringify(Object.fromEntries(busy))
    const ranked = sql`select id, row_number() over (partition by host order by due_at, id)
      + coalesce((${others}::text::jsonb ->> host)::integer, 0) as place from ${watches} where ${due}`
    return sql`(select id from ${watches} where id in (select id from (${ranked}) as ranked where place <= ${perHost})
      and ${due} order by due_at, id limit ${free} for update skip locked)`
  }

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
          isActive,
          isNull(watches.event_id),
          isFree(),
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
            identity: watches.covered_identity,
            day: watches.covered_day,
            isReadable: isReadable(sql`covered_release`, sql`covered_identity`),
          })
      }),

    /** Moves the cursors of watches of which nothing is new. */
    storeNothing: (
      ids: readonly number[],
      {
        leasedUntil,
        to,
        day,
        dueAt,
      }: { leasedUntil: string; to: Release; day: string; dueAt: Date | null },
    ) =>
      run((db) =>
        db
          .update(watches)
          .set({
            ...cursorAt(to),
            covered_day: sql`case when ${watches.subject} ->> 'kind' = 'expiry' then greatest(covered_day, ${day}::date) end`,
            due_at: dueAt && at(dueAt),
            leased_until: null,
          })
          .where(holds(ids, leasedUntil)),
      ),

    /** Stores an event and moves the cursor in one statement. */
    storeEvent: (
      { id, leasedUntil }: Leased,
      { body, since, to, day }: { body: string; since: number; to: Release; day: string | null },
    ) =>
      run((db) =>
        db
          .update(watches)
          .set({
            ...cursorAt(to),
            covered_day: day,
            event_id: crypto.randomUUID(),
            event_body: body,
            event_since: since,
            attempt: 0,
            due_at: at(),
            leased_until: null,
            last_event_at: at(),
          })
          .where(holds([id], leasedUntil)),
      ),

    takeEvents: (busy: ReadonlyMap<string, number>, free: number) =>
      run((db) => {
        const due = and(isActive, isNotNull(watches.event_id), lte(watches.due_at, at()), isFree())
        return db
          .update(watches)
          .set(lease())
          .where(sql`${watches.id} in ${firstOf(due, busy, free)}`)
          .returning({ ...sent(at()), attempt: sql<number>`${watches.attempt} + 1` })
      }),

    /** A test is taken once, and not retried. */
    takeTests: (busy: ReadonlyMap<string, number>, free: number) =>
      run((db) =>
        db
          .update(watches)
          .set({ is_test_due: false })
          .where(sql`${watches.id} in ${firstOf(sql`is_test_due`, busy, free)}`)
          .returning(sent(at())),
      ),

    /** Stores an attempt and what follows. @returns whether the lease still held */
    storeAttempt: (
      { id, leasedUntil }: Leased,
      attempted: Attempt,
      after: AfterAttempt,
    ): Promise<boolean> =>
      run((db) =>
        db.transaction(async (tx) => {
          await attribute(tx, { who: "the service", origin: "watches" })
          const [held] = await tx
            .update(watches)
            .set({ ...changesAfter(after), leased_until: null })
            .where(holds([id], leasedUntil))
            .returning({ id: watches.id })
          if (held) await insertAttempt(tx, id, attempted)
          return held !== undefined
        }),
      ),

    storeTest: (id: number, attempted: Attempt) =>
      run((db) =>
        db.transaction(async (tx) => {
          const [found] = await tx
            .select({ id: watches.id })
            .from(watches)
            .where(eq(watches.id, id))
            .for("key share")
          if (found) await insertAttempt(tx, id, attempted)
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

/** Attempts in progress to one host: a slow receiver leaves places to others. */
const perHost = 2

/** What an attempt sends. */
const sent = (nowText: string) => ({
  ...taken,
  email: sql<string>`(select email from ${accountsTable} account where account.id = account_id)`,
  host: watches.host,
  secrets: sql<string[]>`to_jsonb(array_remove(
    array[secret, case when former_secret_until > ${nowText} then former_secret end], null))`,
  identity: watches.covered_identity,
  eventId: sql<string>`${watches.event_id}`,
  body: sql<string>`${watches.event_body}`,
  since: sql<number>`${watches.event_since}`,
})

function changesAfter(after: AfterAttempt) {
  const { attempt } = watches
  if (after.kind === "delivered") {
    const none = { event_id: null, event_body: null, event_since: null, attempt: 0 }
    return { ...none, due_at: after.dueAt?.toISOString() ?? null }
  }
  if (after.kind === "retried") {
    return { attempt: sql`${attempt} + 1`, due_at: after.dueAt.toISOString() }
  }
  const ifActive = (then: SQL, otherwise: SQL) =>
    sql`case when ${watches.state} = 'active' then ${then} else ${otherwise} end`
  return {
    attempt: sql`${attempt} + 1`,
    state: ifActive(sql`'disabled'`, sql`${watches.state}`),
    reason: ifActive(sql`${after.reason}`, sql`${watches.reason}`),
  }
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
