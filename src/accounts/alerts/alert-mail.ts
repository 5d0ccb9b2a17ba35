/** The mails of watches, as text and as a document: counts first, then the first records with links. */
import type { ResourceRecord } from "../../data/resources/resource.ts"
import { formatCount } from "../../system/text/display.ts"
import { splitValues } from "../../system/text/fold.ts"
import type { Mail } from "../mail/mailer.ts"
import type { Event } from "./events.ts"
import type { Watch } from "./watch.ts"

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
  let left = mostRecords
  const sections = Object.entries(titles).flatMap(([part, title]) => {
    const shown = (records[part] ?? []).slice(0, left)
    left -= shown.length
    // A removed record has a page only at an earlier release.
    const query = part === "removed" ? `?as_of=${since}` : ""
    const lines = shown.map((record) => recordLine(record, `${baseUrl}/explore`, query))
    const total = sumOf(event.data[part])
    const many = total > lines.length ? `, the first ${lines.length} of ${formatCount(total)}` : ""
    return lines.length > 0 ? [{ title: title + many, lines }] : []
  })
  return composed({
    to,
    unsubscribeUrl,
    subject: `${watch.name}: ${counts}`,
    title: counts[0]?.toUpperCase() + counts.slice(1),
    lead: words,
    sections,
    links: [
      ...(typeof page === "string" ? [{ text: "Show everything that is new", url: page }] : []),
      { text: `Change the watch “${watch.name}”`, url: pageOfWatch(baseUrl, watch) },
      { text: "Stop these mails", url: unsubscribeUrl },
    ],
  })
}

/** For a watch whose last attempt failed. */
export const disabledMail = (
  to: string,
  watch: AlertMail["watch"],
  reason: string,
  baseUrl: string,
): Mail =>
  composed({
    to,
    subject: `${watch.name}: the watch is disabled`,
    title: "The watch is disabled",
    lead: `The last attempt to deliver its event failed: ${reason}. After you resume the watch, its next event has all changes since then.`,
    sections: [],
    links: [{ text: `Resume the watch “${watch.name}”`, url: pageOfWatch(baseUrl, watch) }],
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
  return Object.entries(titles)
    .map(([name, title]) => [sumOf(data[name]), title.toLowerCase()] as const)
    .flatMap(([count, title]) => (count > 0 ? [`${formatCount(count)} ${title}`] : []))
    .join(", ")
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

function recordLine(record: ResourceRecord, explorer: string, query: string): Line {
  const { changed, asx_code: code, tenement_id, company_name, title, id, hash } = record
  const list = tenement_id ? "tenements" : title ? "reports" : "companies"
  const key = encodeURIComponent(String(id ?? hash ?? code))
  const changes = typeof changed === "string" ? splitValues(changed) : []
  const isNew = changes[0] === "added"
  const state = facts.flatMap((name) => (record[name] ? [`${record[name]}`] : []))
  const differences = changes.map(
    (name) => label(name) + (name in record ? ` now ${record[name] ?? "unknown"}` : ""),
  )
  return {
    text: `${tenement_id ?? `${code} ${company_name ?? title}`}`,
    url: `${explorer}/${list}/${key}${query}`,
    detail: (isNew ? ["new", ...state] : changes.length > 0 ? differences : state).join(" · "),
  }
}

/** What people ask first about a record. The last date of a tenement is its expiry. */
const facts = ["type", "status", "holder_name", "expiry_date", "gics_industry_group"]

interface Line {
  text: string
  url: string
  detail?: string
}

interface Composed extends Pick<Mail, "to" | "unsubscribeUrl" | "subject"> {
  title: string
  lead: string
  sections: readonly { title: string; lines: readonly Line[] }[]
  links: readonly Line[]
}

/** One content in both forms. */
function composed({ title, lead, sections, links, subject, ...mail }: Composed): Mail {
  const textOf = ({ text, url, detail }: Line) =>
    `${line(text)}${detail ? `: ${line(detail)}` : ""}\n  ${url}`
  const htmlOf = ({ text, url, detail }: Line) =>
    `<a href="${Bun.escapeHTML(url)}">${escaped(text)}</a>${detail ? `<br><span>${escaped(detail)}</span>` : ""}`
  const parts = sections.map((part) =>
    [part.title, ...part.lines.map((each) => `- ${textOf(each)}`)].join("\n"),
  )
  const lists = sections.map(
    (part) =>
      `<h2>${part.title}</h2><ul>${part.lines.map((each) => `<li>${htmlOf(each)}</li>`).join("")}</ul>`,
  )
  return {
    ...mail,
    subject: line(subject),
    text: [`${line(title)}\n${line(lead)}`, ...parts, `${links.map(textOf).join("\n")}\n`].join(
      "\n\n",
    ),
    html: `<!doctype html><html lang="en"><head><meta name="color-scheme" content="light dark"><style>${style}</style></head>
<body><h1>${escaped(title)}</h1><p>${escaped(lead)}</p>${lists.join("")}<hr>${links.map((each) => `<p>${htmlOf(each)}</p>`).join("")}</body></html>`,
  }
}

const style = `body{font:15px/1.5 system-ui,sans-serif;max-width:40em;margin:24px auto;padding:0 16px;color:#1d1c1a;background:#fbfaf8}
h1{font-size:22px;margin:0}h2{font-size:15px;margin:24px 0 8px}ul{padding:0;margin:0;list-style:none}li{padding:8px 0;border-top:1px solid #e4e0d8}
p{margin:4px 0}a{color:#8a4b12}span{color:#66625b}hr{border:0;border-top:1px solid #e4e0d8;margin:24px 0}
@media(prefers-color-scheme:dark){body{color:#edeae4;background:#161513}a{color:#e2a363}span{color:#a8a298}li,hr{border-color:#35322d}}`

/** Without line breaks and direction marks, which could imitate other parts of a mail. */
const line = (text: string): string => text.replace(/[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu, " ")

const escaped = (text: string): string => Bun.escapeHTML(line(text))
