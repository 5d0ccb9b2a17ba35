/**
 * The statements of the worker. Each watch has a cursor and a lease in place of a queue: processes share the watches
 * with SKIP LOCKED, and store an outcome only where no other process has taken the watch meanwhile.
 */
import { and, eq, type SQL, sql } from "drizzle-orm"
import { accountsTable } from "../../data/db/account-tables.ts"
import { deliveries, watches } from "../../data/db/alert-tables.ts"
import type { Database, Pool } from "../../data/db/pool/pool.ts"
import { releasesTable } from "../../data/db/schema.ts"
import type { Release } from "../../data/reader/releases.ts"
import { minuteMs } from "../../system/text/time.ts"
import { attribute } from "../access/change.ts"
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
/** Whether a release can be read. Before the first release nothing can be pruned. */
const isReadableAt = (id: SQL, identity: SQL) => sql<boolean>`case when ${id} = 0
  then not exists (select from ${releasesTable} r where r.is_pruned)
  else exists (select from ${releasesTable} r
    where r.id = ${id} and r.identity = ${identity} and not r.is_pruned) end`
const isReadable = isReadableAt(sql`covered_release`, sql`covered_identity`)
const identityOfSince = sql`(select identity from ${releasesTable} where ${releasesTable.id} = event_since)`

const identityOf = ({ identity }: Release) => (identity === "" ? null : identity)

const textOf = (date: Date): string => date.toISOString()

/** Leases the first watches that are due. @param due with their order and number */
const take = (db: Database, due: SQL, now: Date) =>
  db
    .update(watches)
    .set({ leased_until: textOf(new Date(now.getTime() + leaseMs)) })
    .where(sql`${watches.id} in (select id from ${watches} where ${due} for update skip locked)`)
    .returning({
      ...watchColumns,
      leasedUntil: sql<string>`${watches.leased_until}`,
      /** The release that its last event, or its event in progress, covered. */
      covered: sql<Release>`jsonb_build_object(
        'id', covered_release, 'publishedAt', 0, 'identity', coalesce(covered_identity::text, ''))`,
      coveredDay: watches.covered_day,
      isReadable,
      email: sql<string>`(select email from ${accountsTable} account where account.id = account_id)`,
      secrets: sql<string[]>`to_jsonb(array_remove(
        array[secret, case when former_secret_until > ${textOf(now)} then former_secret end], null))`,
      eventId: sql<string>`case when is_test_due then gen_random_uuid() else event_id end`,
      /** Null for a test. */
      body: sql<string | null>`case when not is_test_due then event_body end`,
      since: sql<number>`${watches.event_since}`,
      /** Pruning keeps no releases for the events of paused watches and disabled accounts. */
      isEventReadable: isReadableAt(sql`event_since`, identityOfSince),
      attempt: sql<number>`case when is_test_due then 1 else ${watches.attempt} + 1 end`,
    })

/** A leased watch, with its event or test. */
export type Taken = Awaited<ReturnType<typeof take>>[number]

interface CursorMove {
  to: Release
  /** In Sydney. */
  day: string
  dueAt: Date | null
  /** The event that is new; null for nothing new. */
  body: string | null
}

/** An attempt to deliver, and the time of the next one or, after success, of the next look. */
export interface Attempt {
  at: Date
  type: string
  outcome: Outcome
  ms: number
  dueAt: Date | null
}

/** Its functions throw Unavailable. */
export function createQueue(pool: Pool, now: () => Date) {
  const run = <T>(statement: (db: Database) => Promise<T>) => pool.runAlone(null, statement)
  const at = () => textOf(now())
  const takeDue = (due: SQL) => run((db) => take(db, due, now()))
  const isFree = () => sql`(leased_until is null or leased_until <= ${at()})`
  const holds = ({ id, leasedUntil }: Taken) =>
    and(eq(watches.id, id), eq(watches.leased_until, leasedUntil))

  return {
    /** Moves the cursors where no release since then touched the resource. Materialized, each cursor is judged once. */
    moveUntouched: (to: Release) =>
      run((db) =>
        db.execute(sql`
          with cursors as materialized (
            select distinct covered_release, covered_identity, resource from ${watches}
            where state = 'active' and event_id is null and covered_release < ${to.id}),
          untouched as materialized (
            select * from cursors where ${isReadable} and not exists (
              select from ${releasesTable} r where r.id > covered_release and r.id <= ${to.id} and coalesce(
                r.manifest -> 'resources' ? resource or r.manifest #> '{links,changed}' ? resource,
                not r.manifest ? 'resources' or resource is null)))
          update ${watches} w set covered_release = ${to.id}, covered_identity = ${identityOf(to)}
          from untouched u
          where w.state = 'active' and w.event_id is null and w.resource = u.resource
            and ${isFree()} and w.covered_release = u.covered_release
            and w.covered_identity is not distinct from u.covered_identity`),
      ),

    /**
     * Takes watches of which something may be new at a release. Those whose lease has ended come last, as their count
     * may end in another timeout. Another process may have covered a release that this one has not seen.
     */
    takeWatches: (to: Release) =>
      takeDue(sql`${isEnabled} and state = 'active' and event_id is null and ${isFree()}
        and (covered_release <= ${to.id} or not ${isReadable})
        and (due_at <= ${at()} or ${looksAtReleases} and (covered_release < ${to.id} or not ${isReadable}))
        order by leased_until nulls first, id limit ${batch}`),

    /** Moves the cursor of a watch, and stores the event that is new, in one statement. */
    moveCursor: (taken: Taken, { to, day, dueAt, body }: CursorMove) =>
      run((db) =>
        db
          .update(watches)
          .set({
            covered_release: to.id,
            covered_identity: identityOf(to),
            covered_day: sql`case when ${watches.subject} ->> 'kind' = 'expiry' then greatest(covered_day, ${day}::date) end`,
            due_at: dueAt && textOf(dueAt),
            leased_until: null,
            ...(body !== null && {
              event_id: crypto.randomUUID(),
              event_body: body,
              event_since: sql`${watches.covered_release}`,
              attempt: 0,
              last_event_at: at(),
            }),
          })
          .where(holds(taken)),
      ),

    /** Takes watches with a test or a due event. Accounts take turns, so that none fills all places again and again. */
    takeDeliveries: (free: number) => {
      const due = sql`(is_test_due or state = 'active' and event_id is not null and due_at <= ${at()}) and ${isEnabled}`
      const order = sql`is_test_due desc, due_at, id`
      // A leased watch with an event or a test is an attempt in progress, of any process.
      const turns = sql`select id, host, is_test_due, due_at, leased_until,
          row_number() over (partition by account_id order by ${isFree()}, ${order}) as turn
        from ${watches} where ${due} or (event_id is not null and not ${isFree()})`
      const ranked = sql`select *, row_number() over (partition by host order by ${isFree()}, turn, ${order}) as place
        from (${turns}) as turns`
      return takeDue(sql`${due} and ${isFree()} and id in (
        select id from (${ranked}) as ranked where place <= ${perHost} and ${isFree()}
        order by turn, ${order} limit ${free})`)
    },

    /**
     * Stores an attempt, if the lease still holds. A failed attempt without a next one disables an active watch.
     * @returns whether it did
     */
    storeAttempt: (taken: Taken, { at, type, outcome, ms, dueAt }: Attempt): Promise<boolean> =>
      run((db) =>
        db.transaction(async (tx) => {
          const { id, isTestDue, eventId, attempt, release } = taken
          const { status, reason } = outcome
          const due_at = dueAt && textOf(dueAt)
          const followUp =
            reason === null
              ? { ...noEvent, due_at }
              : { attempt: sql`${watches.attempt} + 1`, due_at }
          const [held] = await tx
            .update(watches)
            .set({ ...(isTestDue ? { is_test_due: false } : followUp), leased_until: null })
            .where(holds(taken))
            .returning({ state: watches.state })
          if (!held) return false
          await tx.insert(deliveries).values({
            ...{ watch_id: id, event_id: eventId, type, release, attempt },
            ...{ at: at.toISOString(), is_ok: reason === null, status, reason, ms },
          })
          const isLast = !isTestDue && reason !== null && due_at === null
          if (!isLast || held.state !== "active") return false
          await attribute(tx, { who: "the service", origin: "watches" })
          await tx.update(watches).set({ state: "disabled", reason }).where(eq(watches.id, id))
          return true
        }),
      ),

    /** Makes a watch look again since the release that its event in progress compares with. */
    discardEvent: (taken: Taken) =>
      run((db) =>
        db
          .update(watches)
          .set({
            ...noEvent,
            covered_release: sql`event_since`,
            covered_identity: identityOfSince,
            leased_until: null,
          })
          .where(holds(taken)),
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

const noEvent = { event_id: null, event_body: null, event_since: null, attempt: 0 }
