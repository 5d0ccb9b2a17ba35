import { InvalidArgumentError } from "commander"
import { accountIdOf } from "../accounts/access/accounts.ts"
import { AccountError } from "../accounts/access/change.ts"
import type { MadeWatch } from "../accounts/alerts/create-watch.ts"
import {
  deleteWatch,
  pauseWatch,
  requestTest,
  resumeWatch,
  type WatchChange,
  watchesOf,
} from "../accounts/alerts/store.ts"
import type { Channel, GivenSubject, Subject } from "../accounts/alerts/watch.ts"
import { checkChannel } from "../accounts/alerts/webhook.ts"
import { ApiError, faultsOf } from "../api/http/api-error.ts"
import type { Config } from "../config.ts"
import { mailTimes, maxExpiryDays, reportKinds } from "../data/db/alert-tables.ts"
import {
  argument,
  choiceParameter,
  command,
  flag,
  group,
  integerParameter,
  option,
  reading,
  required,
} from "./command.ts"
import { changeAccess, withPool } from "./database.ts"
import { formatTable, logToStderr, printSecret } from "./terminal.ts"

const create = command({
  help: "create a watch; print the secret of a webhook, which is not shown again",
  details:
    "Give one subject (--list, --record or --releases) and one channel (--webhook or --mail).\n" +
    "A path is that of the API without /api/v1, such as /tenements?state=WA.",
  parameters: {
    account: required("<email>", "its account, which mails go to", String),
    name: required("<text>", "name of the watch", String),
    list: option("<path>", "watch a list, with its filters", String),
    expiring: option(
      "<days>",
      "of the list, report tenements this many days before they expire",
      integerParameter(1, maxExpiryDays),
    ),
    report: option(
      "<kind>",
      `of the list, report ${reportKinds.join(", ")} (default: both)`,
      choiceParameter(reportKinds),
    ),
    record: option("<path>", "watch one record", String),
    releases: flag("watch every release"),
    webhook: option("<url>", "send events to this URL", String),
    mail: option("<when>", `send mails ${mailTimes.join(", ")}`, choiceParameter(mailTimes)),
  },
  hasJson: true,
  run: async ({ account: email, name, webhook, mail, ...given }, { config, json }) => {
    const subject = await checkedSubject(given)
    const channel = await checkChannel(channelOf({ webhook, mail }, config), config)
    const { createWatch } = await import("../accounts/alerts/create-watch.ts")
    return changeAccess(
      config,
      (editor) => createWatch(editor, { email, name, subject, channel, now: new Date() }),
      (made) => printMade(made, json),
    )
  },
})

const list = reading({
  help: "list watches with their states",
  parameters: { account: option("<email>", "only those of this account", String) },
  read: ({ account }, { config }) =>
    withPool(config, async (pool) => {
      const found = await watchesOf(
        pool,
        account === undefined ? null : await accountIdOf(pool, account),
      )
      return found.map((watch) => ({
        id: watch.id,
        account: watch.email,
        name: watch.name,
        subject: watch.subject,
        channel: watch.channel,
        state: watch.state,
        reason: watch.reason,
        release: watch.release,
      }))
    }),
  text: (watches) =>
    formatTable(
      watches.map((watch) => ({
        ...watch,
        id: String(watch.id),
        subject: subjectText(watch.subject),
        channel: channelText(watch.channel),
      })),
    ),
})

const changing = (help: string, done: string, work: WatchChange) =>
  command({
    help,
    parameters: { id: argument(integerParameter(1, Number.MAX_SAFE_INTEGER), "its number") },
    run: ({ id }, { config }) =>
      changeAccess(
        config,
        (editor) => work(editor, { id, now: new Date() }),
        () => logToStderr(`${done} watch ${id}`),
      ),
  })

export const watchCommand = group("manage watches, which report changes by webhook or mail", {
  create,
  list,
  test: changing(
    "request a test, which a running service sends",
    "Requested a test of",
    requestTest,
  ),
  pause: changing("pause a watch", "Paused", pauseWatch),
  resume: changing(
    "resume a paused or disabled watch, whose next event has all changes meanwhile",
    "Resumed",
    resumeWatch,
  ),
  delete: changing("delete a watch and its deliveries", "Deleted", deleteWatch),
})

/** @throws InvalidArgumentError; AccountError with the faults that the API finds in the path */
async function checkedSubject(given: GivenSubject): Promise<Subject> {
  // It loads the endpoints and with them the server, which other commands do not need.
  const { ContradictionError, subjectOf } = await import("../accounts/alerts/watch.ts")
  try {
    return subjectOf(given)
  } catch (error) {
    if (error instanceof ContradictionError) throw new InvalidArgumentError(error.message)
    if (!(error instanceof ApiError)) throw error
    const faults = faultsOf(error).map(({ parameter, message }) => `${parameter}: ${message}`)
    throw new AccountError(
      `The API rejects ${given.list ?? given.record}: ${faults.join("; ") || error.message}`,
    )
  }
}

interface GivenChannel {
  webhook: string | undefined
  mail: (typeof mailTimes)[number] | undefined
}

/** @throws InvalidArgumentError, AccountError */
function channelOf({ webhook, mail }: GivenChannel, { SMTP_URL }: Config): Channel {
  if (webhook !== undefined && mail === undefined) return { kind: "webhook", url: webhook }
  if (mail === undefined || webhook !== undefined) {
    throw new InvalidArgumentError("A watch has one channel: give --webhook or --mail")
  }
  if (SMTP_URL === null) {
    throw new AccountError("Mails need SMTP_URL and MAIL_FROM: set them, or give --webhook")
  }
  return { kind: "mail", when: mail }
}

/** Called before the database is closed, so that a later failure cannot lose the secret. */
async function printMade(made: MadeWatch, json: boolean): Promise<void> {
  const { id, secret } = made
  const printed = json ? JSON.stringify(made) : secret
  if (printed !== null) {
    await printSecret(
      printed,
      `The watch ${id} was created: delete it with \`mds watch delete ${id}\` and create another`,
    )
  }
  logToStderr(`Created watch ${id}`)
  if (secret !== null) logToStderr("Save its secret now: it is not shown again")
}

const channelText = (channel: Channel): string =>
  channel.kind === "mail" ? `mail ${channel.when}` : channel.url

/** `/tenements?state=WA, removals` */
function subjectText(subject: Subject): string {
  switch (subject.kind) {
    case "list":
      return `${subject.path}, ${subject.reports === "both" ? "changes and removals" : subject.reports}`
    case "expiry":
      return `${subject.path}, ${subject.days} days before expiry`
    case "record":
      return subject.path
    case "releases":
      return "every release"
  }
}
