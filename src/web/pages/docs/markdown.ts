/**
 * Renders Markdown as HTML with Bun's parser. Templates here write every element, so no other elements
 * exist: HTML in the Markdown appears as text, and comments are dropped.
 */
import { copyable } from "../kit/components.ts"
import { attributes, Html, html } from "../kit/html.ts"

/**
 * Drops the heading of the first level: the page shows its title itself. Rows of tables that begin with
 * a name in code, such as a field, get an id to link to.
 * @param linkTo returns the URL for a link in the Markdown; null for a link that must be plain text
 */
export function renderMarkdown(markdown: string, linkTo: (href: string) => string | null): Html {
  let part = { id: "", text: "" }
  const rows = new Set<string>()
  let tables = 0
  let programs = 0

  const body = Bun.markdown.render(
    markdown,
    {
      text: (text) => html`${text}`.text,
      // A block of HTML, whose text the callback above has escaped.
      html: (children) => (isComment(children) ? "" : children),
      heading: (children, { level, id = "" }) => {
        if (level === 1) return ""
        part = { id, text: plainText(children) }
        const content = html`${new Html(children)} ${anchorTo(id)}`
        return level === 2
          ? html`<h2 id="${id}">${content}</h2>\n`.text
          : html`<h3 id="${id}">${content}</h3>\n`.text
      },
      paragraph: element("p", "\n"),
      blockquote: element("blockquote", "\n"),
      list: (children, { ordered }) => element(ordered ? "ol" : "ul", "\n")(children),
      listItem: element("li", "\n"),
      hr: () => "<hr>\n",
      code: (children) => `${copyable(`code-${++programs}`, new Html(children))}\n`,
      table: (children) => {
        tables++
        const label = `Table ${tables}${part.text && `: ${part.text}`}`
        return html`<div class="table" role="region" aria-label="${label}" tabindex="0"><table>${new Html(children)}</table></div>\n`
          .text
      },
      thead: element("thead", "\n"),
      tbody: element("tbody"),
      tr: (children) => {
        const [, name] = /^<td[^>]*><code>([\w-]+)<\/code>/.exec(children) ?? []
        const id = `${part.id}-${name}`
        if (name === undefined || rows.has(id)) return element("tr", "\n")(children)
        rows.add(id)
        const named = html`<a class="name" href="#${id}"><code>${name}</code></a>`.text
        const content = children.replace(/<code>.*?<\/code>/, () => named)
        return html`<tr id="${id}">${new Html(content)}</tr>\n`.text
      },
      th: (children, meta) =>
        html`<th ${attributes({ scope: "col", class: aligned(meta) })}>${new Html(children)}</th>`
          .text,
      td: (children, meta) =>
        html`<td ${attributes({ class: aligned(meta) })}>${new Html(children)}</td>`.text,
      strong: element("strong"),
      emphasis: element("em"),
      codespan: element("code"),
      link: (children, { href }) => {
        const address = linkTo(href)
        return address === null
          ? children
          : html`<a href="${address}">${new Html(children)}</a>`.text
      },
    },
    { headings: { ids: true } },
  )
  return new Html(body)
}

const anchorTo = (id: string): Html => html`<a class="anchor" href="#${id}">${anchorContent}</a>`

const anchorContent = html`<span aria-hidden="true">#</span><span class="visually-hidden">Link to this part</span>`

/** An element without attributes. `children` is markup from other callbacks. */
const element =
  (name: string, after = "") =>
  (children: string): string =>
    `<${name}>${children}</${name}>${after}`

const isComment = (escaped: string): boolean =>
  /^\s*&lt;!--(?:(?!--&gt;)[\s\S])*--&gt;\s*$/.test(escaped)

/** Text without tags and entities. */
const plainText = (markup: string): string => markup.replace(/<[^>]*>/g, "").replace(/&#?\w+;/g, "")

const aligned = (meta: { align?: string } | undefined) =>
  meta?.align === "right" ? "number" : null
