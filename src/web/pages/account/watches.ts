/** `/account/watches`: the watches of an account. */
import { Elysia } from "elysia"
import { type Watch, watchesOf } from "../../../accounts/alerts/store.ts"
import type { Channel } from "../../../accounts/alerts/watch.ts"
import { newWatchPath, pageOfSubject, subjectWords } from "../explore/lists/watched.ts"
import { notice, statusBadge, type TableColumn, table } from "../kit/components.ts"
import { count, isolated } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"
import { agoText } from "./token.ts"

export const watchesPath = "/account/watches"

export const watchPath = ({ id }: Pick<Watch, "id">): string => `${watchesPath}/${id}`

export const watchList = (options: AccountOptions) =>
  new Elysia({ name: "watches" })
    .use(signedIn(options))
    .get(watchesPath, async ({ query, person, page }) => {
      const watches = await watchesOf(options.accountPool, person.accountId)
      const active = watches.filter(({ state }) => state === "active")
      return page(
        accountPage({
          title: "Watches",
          lead: `${count(active.length, "active watch", "active watches")}. Each reports by mail or webhook what changes in a list or a record.`,
          part: watchesPath,
          main: html`${query.deleted !== undefined && notice("good", "The watch is deleted.", true)}
${table({ caption: "Watches", columns: columns(options.now()), rows: watches, empty })}
<p><a class="button" href="${newWatchPath}">Watch every release</a></p>`,
        }),
      )
    })

const empty = html`You have no watches. Open a list or a record in the
<a href="/explore">explorer</a>, filter it, and choose “Watch”.`

const columns = (now: Date): TableColumn<Watch>[] => [
  {
    head: "Name",
    wide: true,
    cell: (watch) => html`<a href="${watchPath(watch)}">${isolated(watch.name)}</a>`,
  },
  { head: "Watches", wide: true, cell: subjectLink },
  { head: "Channel", cell: ({ channel }) => channelWords(channel) },
  { head: "State", fixed: true, cell: stateBadge },
  { head: "Last event", fixed: true, cell: (watch) => lastEventText(watch, now) },
]

/** The subject in words, with a link to the list. */
export const subjectLink = ({ subject }: Watch): Html =>
  html`<a href="${pageOfSubject(subject)}">${isolated(subjectWords(subject))}</a>`

export const mailWords = {
  "at-once": "Mail at once",
  daily: "Mail every morning at 07:00 (Sydney)",
  weekly: "Mail on Mondays at 07:00 (Sydney)",
} as const

export const channelWords = (channel: Channel): string =>
  channel.kind === "mail" ? mailWords[channel.when] : `Webhook to ${new URL(channel.url).host}`

const tones = { active: "good", paused: "waiting", disabled: "bad" } as const

export const stateBadge = ({ state }: Watch): Html => statusBadge(state, tones[state])

export const lastEventText = ({ lastEventAt }: Watch, now: Date): Html =>
  agoText(lastEventAt, now, "none yet")
