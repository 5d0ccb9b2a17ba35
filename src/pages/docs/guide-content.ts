/** A page of the guide. */
import { pageTitle } from "../kit/components.ts"
import { type Html, html } from "../kit/html.ts"
import type { PageContent } from "../kit/layout.ts"
import { docsLayout } from "./docs-layout.ts"
import { guidePage } from "./guide.ts"
import { type GuidePage, guidePath, operatorGuide, userGuide } from "./guide-pages.ts"

/** @throws PageError 404 */
export async function guideContent(name: string, publicUrl: string): Promise<PageContent> {
  const { title, body } = await guidePage(name, publicUrl)
  const group = [userGuide, operatorGuide].find((pages) => pages.some((page) => page.name === name))
  const pages = group ?? []
  const index = pages.findIndex((page) => page.name === name)
  return docsLayout({
    path: guidePath(name),
    title: pages[index]?.title ?? "",
    scripts: ["copy.js"],
    main: html`${pageTitle(title)}
<article class="guide">
${body}
</article>
${neighbours(pages[index - 1], pages[index + 1])}
<p class="muted small"><a href="${guidePath(name)}.md">This page as Markdown</a></p>`,
  })
}

const neighbours = (previous: GuidePage | undefined, next: GuidePage | undefined): Html =>
  html`<nav class="neighbours" aria-label="Previous and next page">${
    previous && html`<a href="${guidePath(previous.name)}" rel="prev">← ${previous.title}</a>`
  }${next && html`<a class="next" href="${guidePath(next.name)}" rel="next">${next.title} →</a>`}</nav>`
