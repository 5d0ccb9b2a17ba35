/** "Use this view elsewhere": the same data in other programs. */
import { copyable, tokenPlaceholder, tokenSentence } from "../../kit/components.ts"
import { attributes, type Content, type Html, html } from "../../kit/html.ts"
import type { ApiView } from "./api-view.ts"
import { snippetsOf } from "./snippets.ts"

/** A token by what identifies it in lists. Its value is not stored, so it can't be shown. */
export interface TokenName {
  name: string
  /** The first characters of its value. */
  prefix: string
}

export interface ElsewhereOptions {
  /** Null where the API has no such list. */
  view: ApiView | null
  /** Of the person, and usable; null where they can't be read. */
  tokens: readonly TokenName[] | null
  /** Where every row is downloaded; null for a record. */
  csv: string | null
}

export function elsewherePanel({ view, tokens, csv }: ElsewhereOptions): Html {
  const download = csv && html`<a class="button" href="${csv}" download>Download CSV</a>`
  if (view === null) {
    return section(html`<p>The API lists subsidiaries by company. Open a company's subsidiaries to get their address and lines for other programs.</p>
<div class="row">${download}</div>`)
  }
  const snippets = snippetsOf(view)
  return section(html`<fieldset class="programs"><legend class="visually-hidden">Program</legend>
${snippets.map(
  ({ id, label }, index) =>
    html`<input ${attributes({ type: "radio", name: "program", id: `program-${id}`, value: id, checked: index === 0, class: "visually-hidden" })}><label for="program-${id}">${label}</label>`,
)}
${snippets.map(
  ({ id, code, note }) =>
    html`<div class="snippet" data-program="${id}">${copyable(`code-${id}`, code)}<p class="muted small">${note}</p>${code.includes(tokenPlaceholder) && html`<p class="small" data-token-sentence>${tokenSentence}</p>`}</div>`,
)}
</fieldset>
${tokenFields(tokens, download)}`)
}

const section = (content: Content): Html =>
  html`<section class="elsewhere"><h2>Use this view elsewhere</h2>${content}</section>`

/**
 * The value of a token is pasted by the person, and stays in the browser: the fields are in no form, and
 * the script puts it in the lines. Without scripts they are not shown.
 */
function tokenFields(tokens: ElsewhereOptions["tokens"], download: Content): Html {
  return html`<div class="row">
<div class="grow" data-with-script hidden><label for="token-name">Fill in a token</label><select id="token-name" autocomplete="off"><option value="">Choose one of yours</option>${tokens?.map(
    ({ name, prefix }) => html`<option value="${prefix}">${name} (${prefix})</option>`,
  )}</select></div>
<div class="grow" data-token-value hidden><label for="token-value">Its value</label><input ${attributes({ type: "text", class: "mono", id: "token-value", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-note", "data-placeholder": tokenPlaceholder })}></div>
${download}
</div>
<p class="muted small" data-with-script hidden id="token-note" role="status">${noteOf(tokens)}</p>`
}

function noteOf(tokens: ElsewhereOptions["tokens"]): string {
  if (tokens === null) return "Your tokens can't be listed right now."
  return tokens.length === 0
    ? "You have no token yet: create one."
    : "Optional: the value that you paste stays in this page."
}
