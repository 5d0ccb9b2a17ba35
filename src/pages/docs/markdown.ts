/**
 * Markdown as HTML, by Bun's own parser. Every element is written by a template here, so that only
 * these elements exist; HTML in the Markdown is shown as text, and comments are left out.
 */
import { attributes, Html, html } from "../kit/html.ts"

export interface Rendered {
  /** The heading of the first level, which is no part of the body. */
  title: Html
  body: Html
}

/** @param linkTo the address of a link from that in the Markdown; null where it leads nowhere */
export function renderMarkdown(
  markdown: string,
  linkTo: (href: string) => string | null,
): Rendered {
  let title = new Html("")
  let part = ""
  let tables = 0
  let programs = 0

  const body = Bun.markdown.render(
    markdown,
    {
      text: (text) => html`${text}`.text,
      // A block of HTML, whose text the callback above has escaped.
      html: (children) => (isComment(children) ? "" : children),
      heading: (children, { level, id = "" }) => {
        const content = new Html(children)
        if (level === 1) {
          title = content
          return ""
        }
        part = plainText(children)
        return heading(level, id, content).text
      },
      paragraph: (children) => html`<p>${new Html(children)}</p>\n`.text,
      blockquote: (children) => html`<blockquote>${new Html(children)}</blockquote>\n`.text,
      list: (children, { ordered }) =>
        ordered
          ? html`<ol>${new Html(children)}</ol>\n`.text
          : html`<ul>${new Html(children)}</ul>\n`.text,
      listItem: (children) => html`<li>${new Html(children)}</li>\n`.text,
      hr: () => "<hr>\n",
      code: (children, meta) =>
        codeBlock(`code-${++programs}`, new Html(children), meta?.language === "text").text,
      table: (children) => {
        tables++
        const label = `Table ${tables}${part && `: ${part}`}`
        return html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table>${new Html(children)}</table></div>\n`
          .text
      },
      thead: (children) => html`<thead>${new Html(children)}</thead>\n`.text,
      tbody: (children) => html`<tbody>${new Html(children)}</tbody>`.text,
      tr: (children) => html`<tr>${new Html(children)}</tr>\n`.text,
      th: (children, meta) =>
        html`<th ${attributes({ scope: "col", class: aligned(meta) })}>${new Html(children)}</th>`
          .text,
      td: (children, meta) =>
        html`<td ${attributes({ class: aligned(meta) })}>${new Html(children)}</td>`.text,
      strong: (children) => html`<strong>${new Html(children)}</strong>`.text,
      emphasis: (children) => html`<em>${new Html(children)}</em>`.text,
      codespan: (children) => html`<code>${new Html(children)}</code>`.text,
      link: (children, { href }) => {
        const address = linkTo(href)
        return address === null
          ? children
          : html`<a href="${address}">${new Html(children)}</a>`.text
      },
    },
    { headings: { ids: true } },
  )
  return { title, body: new Html(body) }
}

const isComment = (escaped: string): boolean =>
  /^\s*&lt;!--(?:(?!--&gt;)[\s\S])*--&gt;\s*$/.test(escaped)

/** The text of what the templates above made, entities left as they are. */
const plainText = (markup: string): string => markup.replace(/<[^>]*>/g, "").replace(/&#?\w+;/g, "")

const aligned = (meta: { align?: string } | undefined) =>
  meta?.align === "right" ? "number" : null

function heading(level: number, id: string, content: Html): Html {
  const inner = html`${content} <a class="anchor" href="#${id}"><span aria-hidden="true">#</span><span class="visually-hidden">Link to this part</span></a>`
  return level === 2 ? html`<h2 id="${id}">${inner}</h2>\n` : html`<h3 id="${id}">${inner}</h3>\n`
}

/** Lines of a program scroll where they are long; a formula or an address is broken into several. */
const codeBlock = (id: string, code: Html, isOneLine: boolean): Html =>
  html`<div class="${isOneLine ? "program one-line" : "program"}"><pre tabindex="0"><code id="${id}">${code}</code></pre><button type="button" data-copy="${id}" hidden>Copy</button></div>\n`
