/** The pages of the guide, and the search in them. The first request for a page reads and renders its file. */
import { programRoot } from "../../../program.ts"
import { fold } from "../../../system/text/fold.ts"
import { once } from "../../../system/text/memoized.ts"
import { Html, html } from "../kit/html.ts"
import type { PageContent } from "../kit/layout.ts"
import { pageNotFound } from "../kit/page-error.ts"
import { articlePage } from "./docs-layout.ts"
import { renderMarkdown } from "./markdown.ts"
import {
  background,
  type DocsPage,
  guide,
  guideFile,
  guidePath,
  operatorGuide,
  userGuide,
} from "./pages.ts"

/** Stands for the address of the service in the files. Each response replaces it. */
export const addressPlaceholder = "https://mds.example.com"

const files = new Map(
  guide.map((page) => [
    page.name,
    once(async () => {
      const markdown = await Bun.file(new URL(guideFile(page.name), programRoot)).text()
      const body = renderMarkdown(markdown, linkTo)
      const parts = partsOf(page, body)
      return { markdown, body: html`${contentsOf(parts)}${body}`, parts }
    }),
  ]),
)

/** Of a page: the text before the first heading, without a fragment, and the parts below the headings. */
const partsOf = (page: DocsPage, { text }: Html) =>
  text.split(/(?=<h2 )/).map((part) => {
    const [, id = "", heading = ""] = /^<h2 id="([^"]+)">(.*?) <a class="anchor"/.exec(part) ?? []
    // The earlier one has a term, the better the part matches it.
    const texts = [page.title, `${page.title} ${heading}`, `${page.title} ${part}`]
    return {
      page,
      fragment: id && `#${id}`,
      heading: new Html(heading),
      texts: texts.map((each) => fold(each.replace(controls, " ").replace(/<[^>]*>/g, " "))),
    }
  })

const controls = /<(button|a class="anchor").*?<\/(?:button|a)>/g

/** Links to the parts of a page; null for a page with fewer than two. */
function contentsOf([, ...parts]: ReturnType<typeof partsOf>): Html | null {
  if (parts.length < 2) return null
  const items = parts.map(
    ({ fragment, heading }) => html`<li><a href="${fragment}">${heading}</a></li>`,
  )
  return html`<nav class="page-contents" aria-label="On this page"><ul>${items}</ul></nav>\n`
}

/** The best part of each page that has every word of a term, or a longer one that begins so, the best first. */
export async function searchGuide(term: string) {
  const words = fold(term)
    .split(/\s+/)
    .map((word) => new RegExp(`(?<!\\p{L})${RegExp.escape(word)}`, "u"))
  const parts = (await Promise.all(guide.map(async ({ name }) => (await read(name)).parts))).flat()
  return [0, 1, 2]
    .flatMap((rank) =>
      parts.filter(({ texts }) => words.every((word) => word.test(texts[rank] ?? ""))),
    )
    .filter(({ page }, index, all) => all.findIndex((each) => each.page === page) === index)
    .map(({ page, fragment, heading }) => ({
      href: page.path + fragment,
      label: page.title,
      note: heading,
    }))
}

async function read(name: string) {
  const file = files.get(name)
  if (!file) throw pageNotFound()
  return file()
}

/** Accepts links to pages of the guide, to this site and to others; null for any other file of the project. */
export function linkTo(href: string): string | null {
  const page = /^(?:src\/web\/guide\/)?([\w-]+)\.md(#.*)?$/.exec(href)
  if (page) return guidePath(page[1] ?? "") + (page[2] ?? "")
  return /^(?:https?:\/\/|\/(?!\/)|#)/.test(href) ? href : null
}

/** A page whose samples contain the address of the service. @throws PageError 404 */
export async function guideContent(name: string, publicUrl: string): Promise<PageContent> {
  const { body } = await read(name)
  const pages = [userGuide, operatorGuide, background].find((group) =>
    group.some((page) => page.name === name),
  )
  const index = pages?.findIndex((page) => page.name === name) ?? 0
  const address = html`${publicUrl}`.text
  return articlePage(
    guidePath(name),
    pages?.[index]?.title ?? "",
    new Html(body.text.replaceAll(addressPlaceholder, () => address)),
    html`${neighbours(pages?.[index - 1], pages?.[index + 1])}
<p class="muted small"><a href="${guidePath(name)}.md">This page as Markdown</a></p>`,
  )
}

const neighbours = (previous: DocsPage | undefined, next: DocsPage | undefined): Html =>
  html`<nav class="neighbours" aria-label="Previous and next page">${
    previous && html`<a href="${previous.path}" rel="prev">← ${previous.title}</a>`
  }${next && html`<a class="next" href="${next.path}" rel="next">${next.title} →</a>`}</nav>`

/** A page as Markdown, with links to the Markdown of other pages. @throws PageError 404 */
export async function guideMarkdown(name: string): Promise<string> {
  const { markdown } = await read(name)
  return markdown
    .replace(
      /\]\((?:src\/web\/guide\/)?([\w-]+\.md)/g,
      (_, file) => `](${addressPlaceholder}${guidePath(file)}`,
    )
    .replace(/\]\(\//g, `](${addressPlaceholder}/`)
    .replace(/^<!--.*-->\n/gm, "")
}

/** The files for Prometheus and Grafana that the page on monitoring links to. */
export const monitoringFile = (name: "alerts.yaml" | "dashboard.json"): Promise<string> =>
  Bun.file(new URL(`src/web/guide/${name}`, programRoot)).text()
