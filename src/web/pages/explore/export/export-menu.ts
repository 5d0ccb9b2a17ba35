/** The menu "Export": the shown data as a file, and in other programs. */
import { copyable, menu, tokenPlaceholder, tokenSentence } from "../../kit/components.ts"
import { count, dataSize } from "../../kit/format.ts"
import { attributes, type Content, type Html, html } from "../../kit/html.ts"
import { type ApiView, listSnippets, recordSnippets, type Snippet } from "./snippets.ts"

/**
 * Every row of a list in CSV, with its approximate size. The API writes times in UTC. Links to files have no
 * attribute `download`, with which a browser would store an error page, or that to sign in, as the file.
 */
type CsvFile = Record<"rows" | "bytes", number> & { href: string; hasTimes: boolean }

/** @param view null if the API has no such list @param file null for a record @param shapes the address of the list in GeoJSON */
export const exportMenu = (view: ApiView | null, file: CsvFile | null, shapes?: string): Html =>
  menu(
    "Export",
    html`${file && csvDownload(file)}
${shapes && html`<p><a class="button" href="${shapes}">Download GeoJSON</a></p>`}
${view ? inPrograms(view, file ? listSnippets : recordSnippets) : noList}`,
  )

const noList = html`<p>The API lists subsidiaries by company. Open a company's subsidiaries for other programs.</p>`

const inPrograms = (view: ApiView, snippets: readonly Snippet[]): Html =>
  html`<p class="muted small">In another program</p>
${snippets.map(({ id, label, code, note }, index) => {
  const lines = code(view)
  return html`<details ${attributes({ name: "program", id: `program-${id}`, open: index === 0 })}>
<summary>${label}</summary>
${copyable(`code-${id}`, lines)}
<p class="muted small">${note}</p>
${lines.includes(tokenPlaceholder) && html`<p class="small" data-token-sentence>${tokenSentence}</p>`}
</details>`
})}
${tokenField}`

const csvDownload = ({ href, rows, bytes, hasTimes }: CsvFile): Content =>
  rows > 0 &&
  html`<p><a class="button primary" href="${href}">Download CSV</a>
<span class="muted">${count(rows, "row")}, about ${dataSize(bytes)}${hasTimes && ", times in UTC"}</span></p>
${
  bytes > largeSheetBytes &&
  html`<p class="notice waiting">Google Sheets may reject a file of more than
${dataSize(largeSheetBytes)}, and Excel opens at most 1,048,576 rows. Filter the list, or read the file with a
program.</p>`
}`

/** Google names no limit. A file of more rows than Excel's limit is larger too. */
const largeSheetBytes = 10e6

/**
 * The person pastes a token, which stays in the browser: the field is in no form, and the script inserts its
 * value into the lines. Without scripts the field is hidden.
 */
const tokenField = html`<div data-with-script><label for="token">Your token (optional)</label><input ${attributes(
  {
    type: "text",
    class: "mono",
    id: "token",
    autocomplete: "off",
    spellcheck: "false",
    "aria-describedby": "token-note",
    "data-placeholder": tokenPlaceholder,
  },
)}>
<p class="hint" id="token-note" role="status">Paste one of your tokens. It stays in this page.</p></div>`
