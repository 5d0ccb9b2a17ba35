/** `/account/watches/new?path=…`: makes a watch of a list, a record or, without a path, of every release. */
import { Elysia } from "elysia"
import { AccountError } from "../../../accounts/access/change.ts"
import { maxNameLength } from "../../../accounts/access/tokens.ts"
import { eventWords } from "../../../accounts/alerts/alert-mail.ts"
import { createWatch } from "../../../accounts/alerts/create-watch.ts"
import type { Preview } from "../../../accounts/alerts/events.ts"
import {
  type Channel,
  pathWithout,
  pathWithQuery,
  type Subject,
  subjectOf,
} from "../../../accounts/alerts/watch.ts"
import { checkChannel } from "../../../accounts/alerts/webhook.ts"
import { mailTimes, maxExpiryDays, reportKinds } from "../../../data/db/alert-tables.ts"
import { noResponseWithin, Unavailable } from "../../../data/db/pool/unavailable.ts"
import { ReleaseUnavailable } from "../../../data/reader/releases.ts"
import { settleWithin } from "../../../system/text/settle-within.ts"
import { admit, type ExploreOptions } from "../explore/explore.ts"
import { kindsOfList, newWatchOf, newWatchPath, subjectWords } from "../explore/lists/watched.ts"
import { formField, hidden, linkItems, notice, type PageLink, panel } from "../kit/components.ts"
import { type Form, foreignForm, readForm, readQuery } from "../kit/form.ts"
import { count, isolated } from "../kit/format.ts"
import { attributes, type Content, type Html, html } from "../kit/html.ts"
import { signedIn } from "../kit/page-context.ts"
import { redirect } from "../kit/page-response.ts"
import { type AccountOptions, accountPage } from "./account-page.ts"
import { nameField } from "./token.ts"
import { secretPage } from "./watch.ts"
import { mailWords, watchesPath, watchPath } from "./watches.ts"

export interface NewWatchOptions extends AccountOptions {
  previewWatch: Preview
}

export const newWatchRoutes = (options: NewWatchOptions & ExploreOptions) => {
  const { changeAccount, linkMail, webhookSettings: settings, now } = options
  return new Elysia({ name: "new-watch" })
    .use(signedIn(options))
    .resolve(({ person }) => ({
      formPage: async (entered: Form, fault?: string) => {
        const subject = subjectIn(entered)
        // Its counts cost as much as a page of the explorer.
        await admit(options, person)
        const found = await previewWords(options.previewWatch(subject, person.accountId))
        return formOf({ entered, subject, found, hasMail: linkMail !== null, fault })
      },
    }))
    .get(newWatchPath, async ({ request, page, formPage }) =>
      page(await formPage(readQuery(request))),
    )
    .post(newWatchPath, async ({ request, person, address, page, formPage }) => {
      const form = await readForm(request)
      try {
        const subject = chosenIn(form)
        if (form.has("preview")) return page(await formPage(form))
        const channel = await checkChannel(channelIn(form, linkMail !== null), settings)
        const name = form.get("name")
        const made = { email: person.email, name, subject, channel, now: now() }
        const { value } = await changeAccount({ ...person, address }, (editor) =>
          createWatch(editor, made),
        )
        return value.secret === null
          ? redirect(`${watchPath(value)}?done=created`)
          : page(secretPage("Watch created", { id: value.id, name }, value.secret))
      } catch (error) {
        if (!(error instanceof AccountError)) throw error
        return page(await formPage(form, `${error.message}.`))
      }
    })
}

const isRecord = (path: string): boolean => /^\/\w+\/[^/?]+$/.test(path)

/** @throws AccountError; ApiError INVALID_PARAMETER */
function wholeSubject(path: string): Subject {
  if (path === "") return subjectOf({ releases: true })
  return subjectOf(isRecord(path) ? { record: path } : { list: pathWithout(path, "changed") })
}

/** @throws AccountError; ApiError INVALID_PARAMETER; PageError */
function chosenIn(form: Form): Subject {
  const whole = wholeSubject(form.get("path"))
  if (whole.kind !== "list" || !form.has("reports")) return whole
  const reports = form.get("reports")
  const list = whole.path
  if (reports === "expiry") return subjectOf({ list, expiring: Number(form.get("days")) })
  const report = reportKinds.find((kind) => kind === reports)
  if (report === undefined) throw foreignForm()
  const changed = [...kindsOfList(list)].flatMap(([label, names]) =>
    form.has(`only ${label}`) ? names : [],
  )
  const isOfAny = changed.length === 0 || report === "removals"
  return subjectOf({
    list: isOfAny ? list : pathWithQuery(list, ["changed", changed.join()]),
    report,
  })
}

/** The whole list, if the choices are not valid. @throws as `chosenIn` for the path */
function subjectIn(form: Form): Subject {
  try {
    return chosenIn(form)
  } catch (error) {
    if (error instanceof AccountError) return wholeSubject(form.get("path"))
    throw error
  }
}

/** @throws PageError */
function channelIn(form: Form, hasMail: boolean): Channel {
  const chosen = form.get("channel")
  if (chosen === "webhook") return { kind: "webhook", url: form.get("url").trim() }
  const when = mailTimes.find((each) => each === chosen)
  if (when === undefined || !hasMail) throw foreignForm()
  return { kind: "mail", when }
}

const previewWaitMs = 2_000

/** What one event would have reported, as a sentence. */
async function previewWords(found: ReturnType<NewWatchOptions["previewWatch"]>): Promise<Content> {
  try {
    const { event, releases } = await settleWithin(previewWaitMs, found, noResponseWithin)
    if (event === null) return "Nothing in the last 30 days."
    const { page_url: href } = event.data
    const period =
      event.type === "list.expiring"
        ? ", at once."
        : ` in the last 30 days, in ${count(releases, "release")}.`
    return html`<b>${eventWords(event)}</b>${period} ${typeof href === "string" && html`<a href="${href}">Show them</a>`}`
  } catch (error) {
    if (!(error instanceof Unavailable || error instanceof ReleaseUnavailable)) throw error
    return "It could not be counted in time. The watch works nevertheless."
  }
}

interface WatchForm {
  entered: Form
  subject: Subject
  found: Content
  hasMail: boolean
  fault: string | undefined
}

/** The service checks the fields: a browser would also check those that another choice hides. */
function formOf({ entered, subject, found, hasMail, fault }: WatchForm) {
  const words = subjectWords(subject)
  const path = entered.get("path")
  const offers = offersOf(path)
  const isList = subject.kind === "list" || subject.kind === "expiry"
  const name = entered.has("name")
    ? entered.get("name")
    : [...words].slice(0, maxNameLength).join("")
  return accountPage({
    title: "New watch",
    lead: isolated(words),
    part: watchesPath,
    fault,
    main: html`${fault && notice("bad", fault, true)}
${offers.length > 0 && html`<nav aria-label="Subject"><ul class="page-sizes">${linkItems(offers, newWatchOf(path))}</ul></nav>`}
<div class="columns"><form method="post" action="${newWatchPath}" class="panel fields form-narrow watch" novalidate>
${hidden("path", path)}
${isList && reportFields(entered, wholeSubject(path))}
${nameField(name, "The subject of mails, and its name in your list.")}
${channelFields(entered, hasMail)}
<div class="row"><button class="primary">Create watch</button>${isList && html`<button name="preview" value="true">Count again</button>`}</div>
</form>
${panel("preview", "What it would have sent", html`<p>${found}</p>`)}</div>`,
  })
}

/** Of a company: its record and its lists. */
function offersOf(path: string): PageLink[] {
  const [, code] =
    /^(?:\/companies\/|\/reports\?company=)([^/?&]+)(?:\/tenements)?$/.exec(path) ?? []
  const offers = [
    [`/companies/${code}`, `${code}, its record`],
    [`/companies/${code}/tenements`, "Its tenements"],
    [`/reports?company=${code}`, "Its announcements"],
  ] as const
  return code ? offers.map(([each, title]) => ({ path: newWatchOf(each), title })) : []
}

const reported = [
  { value: "both", label: "Changes and removals" },
  { value: "changes", label: "Only changes" },
  { value: "removals", label: "Only removals" },
]
const expiry = { value: "expiry", label: "Coming expiry dates" }

function reportFields(entered: Form, list: Subject): Content {
  if (list.kind !== "list") return null
  const isOfTenements = /\/tenements(?:\?|$)/.test(list.path)
  const value = entered.get("reports") || "both"
  const choices = isOfTenements ? [...reported, expiry] : reported
  return html`${formField({ name: "reports", label: "Report", value, choices })}
<fieldset class="of-changes"><legend class="muted small">Only these kinds of change (none means any)</legend>
<ul class="page-sizes">${[...kindsOfList(list.path).keys()].map((label) => kindChip(label, entered))}</ul></fieldset>
${
  isOfTenements &&
  html`<div class="of-expiry">${formField({
    name: "days",
    label: "Days before expiry",
    hint: "The first event has the tenements that are within these days already.",
    value: entered.get("days") || "90",
    input: { type: "number", min: 1, max: maxExpiryDays },
  })}</div>`
}`
}

function kindChip(label: string, entered: Form): Html {
  const name = `only ${label}`
  const id = `only-${label.replaceAll(" ", "-")}`
  const box = { type: "checkbox", id, name, value: "true", checked: entered.has(name) }
  return html`<li class="check chip"><input ${attributes(box)}><label for="${id}">${label}</label></li>`
}

function channelFields(entered: Form, hasMail: boolean): Html {
  const mails = mailTimes.map((value) => ({ value, label: mailWords[value] }))
  const choices = [...(hasMail ? mails : []), { value: "webhook", label: "Webhook" }]
  return html`${formField({ name: "channel", label: "Send", value: entered.get("channel"), choices })}
<div class="of-webhook">${formField({
    name: "url",
    label: "URL of the webhook",
    hint: "The next page shows the secret that signs its events.",
    value: entered.get("url"),
    input: { type: "url", autocomplete: "off", maxlength: 2_000 },
  })}</div>`
}
