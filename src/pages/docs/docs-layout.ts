/** The frame of every page below /docs: the way back and, where there is room, all pages beside it. */
import { pageTitle } from "../kit/components.ts"
import { attributes, type Content, type Html, html } from "../kit/html.ts"
import type { PageContent } from "../kit/layout.ts"
import { docsGroups } from "./pages.ts"

/** @param path the page's own, which is marked beside it */
export const docsLayout = (
  path: string,
  { main, ...content }: Pick<PageContent, "title" | "main" | "scripts">,
): PageContent => ({
  ...content,
  section: "docs",
  main: html`<div class="docs">
${sideNavigation(path)}
<div class="docs-main">
${path !== "/docs" && html`<p class="docs-back"><a href="/docs">All documentation</a></p>`}
${main}
</div>
</div>`,
})

/** A page of Markdown. @param after below it */
export const articlePage = (path: string, title: string, body: Html, after?: Content) =>
  docsLayout(path, {
    title,
    scripts: ["copy.js"],
    main: html`${pageTitle(title)}
<article class="guide">
${body}
</article>
${after}`,
  })

const sideNavigation = (current: string): Html =>
  html`<nav class="docs-nav" aria-label="Documentation">${docsGroups.map(
    ({ title, pages }) =>
      html`<h2>${title}</h2><ul>${pages.map(
        ({ path, title: name }) =>
          html`<li><a ${attributes({ href: path, "aria-current": path === current && "page" })}>${name}</a></li>`,
      )}</ul>`,
  )}</nav>`
