/** The mails of watches: counts first, then the first records with links. */
import type { ResourceRecord, Value } from "../../data/resources/resource.ts"
import { formatCount, sentenceCase } from "../../system/text/display.ts"
import type { Mail } from "../mail/mailer.ts"
import type { Event } from "./events.ts"
import type { Watch } from "./store.ts"

export interface AlertMail {
  to: string
  watch: Pick<Watch, "id" | "name">
  /** The subject of the watch in words. */
  words: string
  event: Event
  /** By the names of the counts in the event. */
  records: Readonly<Record<string, readonly ResourceRecord[]>>
  /** Pauses this watch by one click. */
  unsubscribeUrl: string
  /** The address that links begin with. */
  baseUrl: string
}

const mostRecords = 20

export function alertMail(mail: AlertMail): Mail {
  const { to, watch, words, event, records, baseUrl, unsubscribeUrl } = mail
  const { page_url: page, since_release: since } = event.data
  const counts = eventWords(event)
  const totals = totalsOf(event, records)
  let left = mostRecords
  const sections = Object.entries(titles).flatMap(([part, title]) => {
    const shown = (records[part] ?? []).slice(0, left)
    left -= shown.length
    // A removed record has a page only at an earlier release.
    const query = part === "removed" ? `?as_of=${since}` : ""
    const lines = shown.map((record) => recordLine(record, `${baseUrl}/explore`, query))
    const total = sumOf(totals[part])
    const many = total > lines.length ? `, the first ${lines.length} of ${formatCount(total)}` : ""
    return lines.length > 0 ? [[title + many, ...lines].join("\n")] : []
  })
  const links = [
    ...(typeof page === "string" ? [linked("Show everything that is new", page)] : []),
    linked(`Change the watch “${watch.name}”`, pageOfWatch(baseUrl, watch)),
    linked("Stop these mails", unsubscribeUrl),
  ]
  return {
    to,
    unsubscribeUrl,
    subject: line(`${watch.name}: ${counts}`),
    ...inBothForms(`${line(sentenceCase(counts))}\n${line(words)}`, ...sections, links.join("\n")),
  }
}

/** For a watch whose last attempt failed. */
export const disabledMail = (
  to: string,
  watch: AlertMail["watch"],
  reason: string,
  baseUrl: string,
): Mail => ({
  to,
  subject: line(`${watch.name}: the watch is disabled`),
  ...inBothForms(
    "The watch is disabled",
    line(
      `The last attempt to deliver its event failed: ${reason}. After you resume the watch, its next event has all changes since then.`,
    ),
    linked(`Resume the watch “${watch.name}”`, pageOfWatch(baseUrl, watch)),
  ),
})

const pageOfWatch = (baseUrl: string, { id }: AlertMail["watch"]): string =>
  `${baseUrl}/account/watches/${id}`

/** Of the counts in an event, and of their records. */
const titles: Readonly<Record<string, string>> = {
  expiring: "Expiring soon",
  entered: "New in the list and expiring soon",
  changed: "Added or changed",
  removed: "Removed",
}

/** `4 added or changed, 1 removed` */
export function eventWords({ type, data }: Event): string {
  if (type === "test") return "this is a test"
  if (data.resync === true) return "the changes cannot be counted, compare the whole list"
  if (data.removed === true) return "removed"
  if (Array.isArray(data.changed))
    return `changed ${data.changed.map((name) => label(`${name}`)).join(", ")}`
  const counts = Object.entries(titles)
    .map(([name, title]) => [sumOf(data[name]), title.toLowerCase()] as const)
    .flatMap(([count, title]) => (count > 0 ? [`${formatCount(count)} ${title}`] : []))
  // A release may change only what no list shows.
  return counts.join(", ") || "no records changed"
}

/** An event of expiry dates has one sum of both parts. The mail has the whole of a first part that is not full. */
function totalsOf({ data }: Event, { expiring = [] }: AlertMail["records"]): Event["data"] {
  const sum = sumOf(data.expiring)
  const { length } = expiring
  return { ...data, expiring: length < mostRecords ? length : sum, entered: sum - length }
}

/** Of a number, or of the numbers of several lists. */
const sumOf = (counts: unknown): number =>
  typeof counts === "number" ? counts : Object.values(counts ?? {}).reduce((a, b) => a + b, 0)

const label = (name: string): string => labels[name] ?? name.replaceAll("_", " ")

const labels: Readonly<Record<string, string>> = {
  geometry: "shape",
  asx_codes: "linked companies",
  area_km2: "area in km²",
}

function recordLine(record: ResourceRecord, explorer: string, query: string): string {
  const { changed } = record
  const { name, page } = identityOf(record)
  const changes: readonly string[] = Array.isArray(changed) ? changed : []
  const isNew = changes[0] === "added"
  const state = facts.flatMap((name) => (record[name] ? [`${record[name]}`] : []))
  // The value of a shape is a digest. Lists do not have every field that histories have.
  const differences = changes.map((name) =>
    name === "geometry" || !(name in record)
      ? label(name)
      : `${label(name)} now ${valueText(record[name])}`,
  )
  const detail = (isNew ? ["new", ...state] : changes.length > 0 ? differences : state).join(" · ")
  return `- ${linked(detail ? `${name}: ${detail}` : name, explorer + page + query)}`
}

const valueText = (value: Value = null): string =>
  Array.isArray(value) ? value.join(", ") || "none" : `${value ?? "unknown"}`

/** The name of a record, and its page in the explorer; a subsidiary is on a page of its parent. */
function identityOf(record: ResourceRecord): { name: string; page: string } {
  const { asx_code: code, parent_asx_code: parent, tenement_id, title, hash } = record
  if (parent) return { name: `${record.name}`, page: `/companies/${parent}/subsidiaries` }
  if (tenement_id) {
    return { name: `${tenement_id}`, page: `/tenements/${encodeURIComponent(String(record.id))}` }
  }
  if (title) return { name: `${code} ${title}`, page: `/reports/${hash}` }
  return { name: `${code} ${record.company_name}`, page: `/companies/${code}` }
}

/** What people ask first about a record. The last date of a tenement is its expiry. */
const facts = ["type", "status", "holder_name", "expiry_date", "gics_industry_group"]

const linked = (text: string, url: string): string => `${line(text)}\n  ${url}`

/** The document is the text with links. */
function inBothForms(...paragraphs: readonly string[]): Pick<Mail, "text" | "html"> {
  const text = `${paragraphs.join("\n\n")}\n`
  const body = Bun.escapeHTML(text)
    .replace(/^(- )?(.*)\n {2}(http.*)$/gm, '$1<a href="$3">$2</a>')
    .replaceAll("\n", "<br>\n")
  const head = '<meta name="color-scheme" content="light dark">'
  return {
    text,
    html: `<!doctype html><html lang="en"><head>${head}</head><body style="font:15px/1.5 sans-serif;overflow-wrap:anywhere">${body}</body></html>`,
  }
}

/** Without line breaks and direction marks, which could imitate other parts of a mail. */
const line = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ")
