/** Makes watches. It asks the API for their subjects, and so it loads the endpoints. */
import { desc, eq } from "drizzle-orm"
import { watches } from "../../data/db/alert-tables.ts"
import { releasesTable } from "../../data/db/schema.ts"
import type { List } from "../../data/reader/statements.ts"
import { AroundTenement } from "../../data/resources/around-tenement.ts"
import { keyColumn } from "../../data/resources/resource.ts"
import { tenements } from "../../data/resources/tenements.ts"
import { existingAccount } from "../access/accounts.ts"
import {
  AccountError,
  type Changed,
  change,
  type Editor,
  type Transaction,
} from "../access/change.ts"
import { lockAccount, nameOf } from "../access/tokens.ts"
import { firstLook } from "./schedule.ts"
import { notify } from "./store.ts"
import { askWatched, askWatchedRecord, type Channel, pathWithout, type Subject } from "./watch.ts"
import { newSecret } from "./webhook.ts"

/** The most watches of an account. */
const maxWatches = 50

export interface NewWatch {
  /** The address of its account. */
  email: string
  name: string
  subject: Subject
  /** As `checkChannel` returns it. */
  channel: Channel
  now: Date
}

export interface MadeWatch {
  id: number
  /** Of a webhook. It is not shown again. */
  secret: string | null
}

/**
 * Makes a watch, whose cursor is the newest release.
 * @throws AccountError where the name is not valid, there is no such record, or the account does not exist, is
 * disabled or has enough watches
 */
export const createWatch = (
  editor: Editor,
  { email, name, subject, channel, now }: NewWatch,
): Promise<Changed<MadeWatch>> =>
  change(editor, async (tx) => {
    const { id: accountId } = await existingAccount(tx, email)
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
    const isWebhook = channel.kind === "webhook"
    const secret = isWebhook ? newSecret() : null
    const [made] = await tx
      .insert(watches)
      .values({
        account_id: accountId,
        name: nameOf("watch", name),
        subject,
        channel,
        resource: await resourceOf(tx, subject),
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

/**
 * The resource whose changes concern a subject.
 * @throws AccountError where its record, or a record that its list is about, does not exist
 */
async function resourceOf(tx: Transaction, subject: Subject): Promise<string | null> {
  if (subject.kind === "releases") return null
  const asked =
    subject.kind === "record"
      ? askWatchedRecord(subject.path)
      : askWatched(pathWithout(subject.path, "changed"))
  const records = "list" in asked ? recordsOf(asked.list) : [asked]
  for (const { resource, key } of records) {
    if ((await tx.$count(resource.table, eq(keyColumn(resource), key))) === 0) {
      throw new AccountError(`There is no ${resource.singular} ${key}`)
    }
  }
  return asked.resource.name
}

/** The record that a list belongs to, and the tenement that it is around. */
const recordsOf = ({ parent, bound: { near } }: List) => [
  ...(parent ? [parent] : []),
  ...(near instanceof AroundTenement ? [{ resource: tenements, key: near.id }] : []),
]
