/** `/account/watches/:id`: a watch with its deliveries; pausing, resuming, testing and deleting it, and a new secret. */
import { Elysia } from "elysia"
import {
  type DeliveryRow,
  deleteWatch,
  deliveriesOf,
  pauseWatch,
  replaceSecret,
  requestTest,
  resumeWatch,
  type Watch,
  type WatchChange,
  watchesOf,
} from "../../../accounts/alerts/store.ts"
import { copyable, notice, panel, statusBadge, type TableColumn, table } from "../kit/components.ts"
import { isolated, number, timeElement } from "../kit/format.ts"
import { type Html, html } from "../kit/html.ts"
import { requireRecentSignIn, signedIn } from "../kit/page-context.ts"
import { readId } from "../kit/page-error.ts"
import { redirect } from "../kit/page-response.ts"
import { type AccountOptions, accountPage, noOwn } from "./account-page.ts"
import {
  channelWords,
  lastEventText,
  stateBadge,
  subjectLink,
  watchesPath,
  watchPath,
} from "./watches.ts"

export const watchRoutes = (options: AccountOptions) => {
  const { accountPool, changeAccount, now } = options
  return new Elysia({ name: "watch", prefix: `${watchesPath}/:id` })
    .use(signedIn(options))
    .resolve(async ({ person, address, params: { id: text } }) => {
      const { accountId } = person
      const id = readId(text)
      const watch = (await watchesOf(accountPool, accountId)).find((each) => each.id === id)
      if (!watch) throw noOwn("watch", text)
      const change = async <T>(work: WatchChange<T>): Promise<T> => {
        const which = { id, accountId, now: now() }
        return (await changeAccount({ ...person, address }, (editor) => work(editor, which))).value
      }
      const changed = async (done: string, work: WatchChange) => {
        await change(work)
        return redirect(`${watchPath(watch)}?done=${done}`)
      }
      return { watch, change, changed }
    })
    .get("", async ({ query: { done }, watch, page }) =>
      page(watchPage(watch, await deliveriesOf(accountPool, watch), done, now())),
    )
    .post("/pause", ({ changed }) => changed("paused", pauseWatch))
    .post("/resume", ({ changed }) => changed("resumed", resumeWatch))
    .post("/test", ({ changed }) => changed("tested", requestTest))
    .post("/secret", async ({ watch, person, change, page }) => {
      requireRecentSignIn(person, now(), watchPath(watch))
      return page(secretPage("New secret", watch, await change(replaceSecret)))
    })
    .post("/delete", async ({ change }) => {
      await change(deleteWatch)
      return redirect(`${watchesPath}?deleted`)
    })
}

/** The response to the form itself: pages show the secret nowhere else. */
export const secretPage = (title: string, watch: Pick<Watch, "id" | "name">, secret: string) =>
  accountPage({
    title,
    lead: html`For “${isolated(watch.name)}”.`,
    scripts: ["copy.js"],
    main: html`${panel(
      "new-secret",
      "Copy the signing secret",
      html`${copyable("secret", secret)}
<p><strong>You won't see it again.</strong> Your receiver verifies the signatures of events with it.
A secret that it replaces stays valid for 24 hours.</p>`,
    )}
<p><a class="button primary" href="${watchPath(watch)}">I have copied it</a></p>`,
  })

/** By their names in the URL. */
const results = new Map([
  ["created", "The watch is active."],
  ["paused", "Paused. It sends nothing until you resume it."],
  ["testing", "The test is being sent. Reload this page in some seconds to see its delivery."],
  ["tested", "The test has ended. Its delivery is below."],
  ["resumed", "Resumed. Its next event has all changes since the last one."],
])

function watchPage(watch: Watch, rows: readonly DeliveryRow[], done = "", now: Date) {
  const { name, channel, state, reason, createdAt, isTestDue } = watch
  const result = results.get(isTestDue && done === "tested" ? "testing" : done)
  return accountPage({
    title: name,
    heading: isolated(name),
    lead: html`${subjectLink(watch)}`,
    part: watchesPath,
    main: html`${result && notice("good", result, true)}
${reason !== null && notice("bad", html`Disabled: ${reason}. Correct it, then resume the watch.`)}
<section class="panel stack"><dl class="facts">
<dt>State</dt><dd>${stateBadge(watch)}</dd>
<dt>Channel</dt><dd>${channelWords(channel)}</dd>
${channel.kind === "webhook" && html`<dt>URL</dt><dd><code>${channel.url}</code></dd>`}
<dt>Created</dt><dd>${timeElement(createdAt)}</dd>
<dt>Last event</dt><dd>${lastEventText(watch, now)}</dd></dl>
<div class="row">${state === "active" ? action(watch, "pause", "Pause") : action(watch, "resume", "Resume")}
${action(watch, "test", "Send a test")}${channel.kind === "webhook" && action(watch, "secret", "New secret")}</div></section>
<section class="stack"><h2>Deliveries of the last 30 days</h2>
${table({ caption: "Deliveries", columns, rows, empty: "Nothing was sent yet." })}</section>
${panel(
  "delete",
  "Delete",
  html`<p>The watch and the list of its deliveries are deleted. This can't be undone.</p>
${action(watch, "delete", "Delete this watch", "danger")}`,
)}
<p><a href="${watchesPath}">All watches</a></p>`,
  })
}

const action = (watch: Watch, verb: string, label: string, kind = ""): Html =>
  html`<form method="post" action="${watchPath(watch)}/${verb}"><button class="${kind}">${label}</button></form>`

const columns: readonly TableColumn<DeliveryRow>[] = [
  { head: "Time", fixed: true, cell: ({ at }) => timeElement(at) },
  { head: "Event", fixed: true, cell: ({ type }) => html`<code>${type}</code>` },
  { head: "Release", number: true, cell: ({ release }) => number(release) },
  { head: "Attempt", number: true, cell: ({ attempt }) => number(attempt) },
  {
    head: "Result",
    wide: true,
    cell: ({ is_ok, status, reason }) =>
      html`${is_ok ? statusBadge("delivered", "good") : statusBadge("failed", "bad")} ${reason ?? status}`,
  },
  { head: "Duration", number: true, cell: ({ ms }) => `${number(Math.round(ms))} ms` },
]
