import { isolated } from "./format.ts"
import { type Attributes, attributes, type Content, type Html, html } from "./html.ts"

/** The heading of a page, a sentence about its content, and the controls beside both. */
export const pageTitle = (title: Content, lead?: Content, beside?: Content): Html =>
  html`<div class="title"><div><h1>${title}</h1>${lead && html`<p>${lead}</p>`}</div>${beside}</div>`

export type Tone = "good" | "waiting" | "bad" | "neutral"

export const statusBadge = (word: string, tone: Tone = "neutral"): Html =>
  html`<span class="status ${tone}">${word}</span>`

export const panel = (id: string, title: Content, content: Content): Html =>
  html`<section class="panel" aria-labelledby="${id}"><h2 id="${id}">${title}</h2>
${content}</section>
`

/** A message about the page as a whole. Faults and results of a form are announced at once. */
export const notice = (tone: Tone, content: Content, live = false): Html =>
  html`<div class="notice ${tone}" ${attributes({ role: live && (tone === "bad" ? "alert" : "status") })}>${content}</div>`

/** A link in a column's head that sorts the rows by the column. */
export interface Sorting {
  href: string
  /** The current order of the rows by this column. */
  current?: "ascending" | "descending"
}

export interface TableColumn<Row> {
  head: string
  cell: (row: Row) => Content
  /** Aligned right, in figures of one width. */
  number?: boolean
  /** Never wrapped. */
  fixed?: boolean
  /** Long text: it gets the remaining width, and a line of its own on a card. */
  wide?: boolean
  /** Left out of the cards on a phone. */
  minor?: boolean
  sorting?: Sorting
}

interface TableOptions<Row> {
  caption: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  /** A sentence for a table without rows. */
  empty: Content
  /** Of figures to compare: a narrow window scrolls it, in place of cards. */
  isSideways?: true
}

/** The first column names the row. On a phone, each row is a card. */
export function table<Row>(options: TableOptions<Row>): Html {
  const { caption, columns, rows, empty, isSideways } = options
  if (rows.length === 0) return html`<div class="panel muted"><p>${empty}</p></div>`
  const [first, ...others] = columns
  return html`<div class="table ${isSideways ? "sideways" : "cards"}" role="region" aria-label="${caption}" tabindex="0"><table>
<caption class="visually-hidden">${caption}</caption>
<thead><tr>${columns.map(columnHead)}</tr></thead>
<tbody>${rows.map(
    (row) =>
      html`<tr>${first && html`<th ${attributes({ class: classOf(first), scope: "row" })}>${first.cell(row)}</th>`}${others.map(
        (column) =>
          html`<td ${attributes({ class: classOf(column), "data-head": column.head })}>${column.cell(row)}</td>`,
      )}</tr>
`,
  )}</tbody></table></div>`
}

/** A table under its heading, with a sentence between the two; null without rows. */
export const tableSection = <Row>(
  title: string,
  columns: readonly TableColumn<Row>[],
  rows: readonly Row[],
  lead?: Content,
): Html | null =>
  rows.length === 0
    ? null
    : html`<section class="stack"><h2>${title}</h2>
${lead}${table({ caption: title, columns, rows, empty: "" })}</section>`

type Head = Omit<TableColumn<never>, "cell">

const classOf = (column: Head) =>
  (["number", "fixed", "wide", "minor"] as const).filter((name) => column[name]).join(" ") || null

const marks = { ascending: "▲", descending: "▼" } as const

function columnHead(column: Head) {
  const { head, sorting } = column
  const { href, current } = sorting ?? {}
  const named = attributes({ class: classOf(column), scope: "col", "aria-sort": current })
  return html`<th ${named}>${href ? html`<a href="${href}">${head}</a> <span aria-hidden="true">${current ? marks[current] : "↕"}</span>` : head}</th>`
}

export interface Choice {
  value: string
  label: string
}

export interface FieldOptions {
  name: string
  label: Content
  /** Needed if the name is not unique on the page. */
  id?: string
  hint?: Content
  fault?: string | undefined
  value?: string | undefined
  /** Makes a choice of these values; without them, the person types the value. */
  choices?: readonly Choice[] | undefined
  /** Suggestions while the person types. */
  suggested?: readonly Choice[]
  /** Further attributes of the input: type, limits, autocomplete. */
  input?: Attributes
}

/** A labelled input or choice. Screen readers read its hint and error with it. */
export function formField(options: FieldOptions): Html {
  const { name, label, id = name, hint, fault, value, choices, suggested = [], input } = options
  const notes = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(" ")
  const described = { "aria-describedby": notes || null, "aria-invalid": fault ? "true" : null }
  const listId = suggested.length > 0 ? `${id}-values` : null
  const control = choices
    ? html`<select ${attributes({ id, name, ...described })}>${choices.map((choice) => option(choice, value))}</select>`
    : html`<input ${attributes({ id, name, type: "text", value, list: listId, ...input, ...described })}>`
  const note = (kind: "hint" | "fault", text: Content) =>
    text && html`<p class="${kind}" id="${id}-${kind}">${text}</p>`
  return html`<div>
<label for="${id}">${label}</label>${control}
${listId && html`<datalist id="${listId}">${suggested.map((choice) => option(choice))}</datalist>`}
${note("hint", hint)}
${note("fault", fault)}
</div>`
}

const option = ({ value, label }: Choice, chosen = ""): Html =>
  html`<option ${attributes({ value, selected: value === chosen })}>${label}</option>`

export const hidden = (name: string, value: string): Html =>
  html`<input ${attributes({ type: "hidden", name, value })}>`

/** Text with a copy button, which needs the script `copy.js`. */
export const copyable = (id: string, text: Content): Html =>
  html`<div class="copyable"><pre><code id="${id}">${text}</code></pre><button type="button" data-copy="${id}">Copy</button></div>`

/** Replaces the token in lines for programs: the service stores no token that it could show. */
export const tokenPlaceholder = "YOUR_TOKEN"

/** Shown beside each line with the placeholder. */
export const tokenSentence = html`Replace <code>${tokenPlaceholder}</code> with one of
<a href="/account/tokens">your tokens</a>: a program can’t use your sign-in.`

export interface Bar {
  label: string
  value: number
  /** The list of the counted records. */
  href?: string
}

/**
 * Numbers as bars, labelled directly.
 * @param full the least number whose bar has the whole width
 */
export function bars(rows: readonly Bar[], write: (value: number) => string, full = 1): Html {
  const largest = Math.max(full, ...rows.map(({ value }) => value))
  return html`<ul class="bars small">${rows.map(({ label, value, href }) => {
    // Any share stays visible.
    const width = Math.max(1, Math.round((value / largest) * 1000) / 10)
    return html`<li>${href ? html`<a href="${href}">${label}</a>` : html`<span>${label}</span>`}
<svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
<rect ${attributes({ width, height: 12, rx: 1 })}/></svg><span class="numbers">${write(value)}</span></li>`
  })}</ul>`
}

export interface PageLink {
  path: string
  title: string
}

/** Links as the items of a list. @param current the path of the page that is shown, or of its section */
export const linkItems = (links: readonly PageLink[], current?: string): Html[] =>
  links.map(
    ({ path, title }) =>
      html`<li><a ${attributes({ href: path, "aria-current": path === current && "page" })}>${title}</a></li>`,
  )

/** A page that contains a searched term. */
export interface Match {
  href: string
  label: string
  note?: Content
}

export const matchList = (matches: readonly Match[]): Html =>
  html`<ul class="plain matches">${matches.map(
    ({ href, label, note }) => html`<li><a href="${href}">${isolated(label)}</a>
${note && html`<span class="muted small">${note}</span>`}</li>`,
  )}</ul>`

export const tabs = (name: string, links: readonly PageLink[], current: string): Html =>
  html`<nav aria-label="${name}"><ul class="tabs">${linkItems(links, current)}</ul></nav>`

/** The way to a page: the lists that it is part of, and its name. */
export const trail = (links: readonly PageLink[], current: Content): Html =>
  html`<nav aria-label="Breadcrumb"><ol class="trail">${linkItems(links)}<li aria-current="page">${current}</li></ol></nav>`

/** A button that opens a panel, which needs no script. */
export const menu = (title: string, content: Content): Html =>
  html`<details class="menu" name="menu">
<summary class="button">${title}<span aria-hidden="true">&nbsp;▾</span></summary>
<div class="panel">${content}</div>
</details>`
