/**
 * Writes the first records of a list as an Atom feed (RFC 4287), for feed readers and chat tools. Identifiers
 * are tag URIs (RFC 4151), which do not change when a title or URL is corrected.
 */
import { type CanonicalQuery, encodeQuery } from "./query-string.ts"

export interface FeedEntry {
  /** The key of its record. */
  id: string
  title: string
  author: string
  /** `2026-01-29T22:41:07Z` */
  updated: string
  summary: string
  categories: readonly string[]
  /** The URL of its document; null for the page of its record. */
  link: string | null
}

/** Converts the records of a list to entries. */
export interface FeedOf<Entry> {
  title: string
  entryOf: (record: Entry) => FeedEntry
}

/** The list that a feed shows. */
export interface FeedSource {
  /** The service's public address; empty for relative links. */
  baseUrl: string
  /** `/api/v1/reports` */
  path: string
  /** The parameters without the format. */
  query: CanonicalQuery
  /** The time of a feed without entries. */
  publishedAt: Date
}

export function atomFeed<Entry>(
  { title, entryOf }: FeedOf<Entry>,
  records: readonly Entry[],
  { baseUrl, path, query, publishedAt }: FeedSource,
): string {
  const authority = baseUrl === "" ? "localhost" : new URL(baseUrl).hostname
  const idOf = (address: string) => `tag:${authority},2026:${address}`
  const self = `${path}?${encodeQuery([...query, ["format", "atom"]])}`
  const entries = records.map(entryOf)
  const words = query.map(([name, value]) => `${name} ${value}`).join(", ")
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
${element("id", idOf(self))}
${element("title", words === "" ? title : `${title}: ${words}`)}
${element("updated", entries[0]?.updated ?? publishedAt.toISOString())}
<link rel="self" type="application/atom+xml" href="${escaped(baseUrl + self)}"/>
${entries.map((entry) => entryElement(entry, path, baseUrl, idOf)).join("")}</feed>
`
}

function entryElement(
  { id, title, author, updated, summary, categories, link }: FeedEntry,
  path: string,
  baseUrl: string,
  idOf: (address: string) => string,
): string {
  const record = `${path}/${encodeURIComponent(id)}`
  const href = link ?? baseUrl + record.replace("/api/v1/", "/explore/")
  return `<entry>
${element("id", idOf(record))}
${element("title", title)}
${element("updated", updated)}
<author>${element("name", author)}</author>
<link rel="alternate" href="${escaped(href)}"/>
${categories.map((term) => `<category term="${escaped(term)}"/>\n`).join("")}${element("summary", summary)}
</entry>
`
}

const element = (name: string, text: string): string => `<${name}>${escaped(text)}</${name}>`

/** XML 1.0 excludes these characters even in escaped form. */
const notInXml = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu

const escaped = (text: string): string => Bun.escapeHTML(text.replace(notInXml, "\uFFFD"))
