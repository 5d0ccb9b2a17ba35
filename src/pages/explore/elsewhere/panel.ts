/** "Use this view elsewhere": the same data in other programs. */
import { copyable, tokenPlaceholder, tokenSentence } from "../../kit/components.ts"
import { attributes, type Content, type Html, html } from "../../kit/html.ts"
import { type ApiView, ofLists, ofRecords } from "./snippets.ts"

/** @param view null if the API has no such list @param csv the download of every row; null for a record */
export function elsewherePanel(view: ApiView | null, csv: string | null): Html {
  const download = csv && html`<a class="button" href="${csv}" download>Download CSV</a>`
  if (view === null) {
    return section(html`<p>The API lists subsidiaries by company. Open a company's subsidiaries to get their address and lines for other programs.</p>
<div class="row">${download}</div>`)
  }
  const snippets = csv === null ? ofRecords : ofLists
  return section(html`<fieldset class="programs"><legend class="visually-hidden">Program</legend>
${snippets.map(({ id, label, code, note }, index) => {
  const lines = code(view)
  return html`<input ${attributes({ type: "radio", name: "program", id: `program-${id}`, value: id, checked: index === 0, class: "visually-hidden" })}><label for="program-${id}">${label}</label><div class="snippet">${copyable(`code-${id}`, lines)}<p class="muted small">${note}</p>${lines.includes(tokenPlaceholder) && html`<p class="small" data-token-sentence>${tokenSentence}</p>`}</div>`
})}
</fieldset>
<div class="row">${tokenField}${download}</div>
<p class="muted small" data-with-script hidden id="token-note" role="status">Optional: paste one of your tokens. It stays in this page.</p>`)
}

const section = (content: Content): Html =>
  html`<section class="elsewhere" id="elsewhere"><h2>Use this view elsewhere</h2>${content}</section>`

/**
 * The person pastes a token, which stays in the browser: the field is in no form, and the script inserts its
 * value into the lines. Without scripts the field is hidden.
 */
const tokenField = html`<div class="grow" data-with-script hidden><label for="token">Fill in a token</label><input ${attributes({ type: "text", class: "mono", id: "token", autocomplete: "off", spellcheck: "false", "aria-describedby": "token-note", "data-placeholder": tokenPlaceholder })}></div>`
