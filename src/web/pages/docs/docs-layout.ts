/** The frame of every page below /docs, with the menu beside it on wide screens; and `/docs` itself. */
import { version } from "../../../program.ts"
import { linkItems, type Match, matchList, pageTitle } from "../kit/components.ts"
import { isolated } from "../kit/format.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import type { PageContent } from "../kit/layout.ts"
import { background, docsGroups, guidePath, operatorGuide } from "./pages.ts"

/** @param path of the page, which the menu marks */
const docsLayout = (
  path: string,
  { main, ...content }: Pick<PageContent, "title" | "main" | "scripts" | "searched">,
): PageContent => ({
  ...content,
  section: "/docs",
  main: html`<div class="docs">
${sideNavigation(path)}
<div class="docs-main">
${path !== "/docs" && html`<p class="docs-back"><a href="/docs">All documentation</a></p>`}
${main}
</div>
</div>`,
})

/** A page of Markdown. @param after content below it */
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

/** The groups of the page's own part, for those who use the data or those who run the service, and a link to the other part. */
function sideNavigation(current: string): Html {
  const isOfOperators = operatorGuide.some(({ path }) => path === current)
  const groups = docsGroups.filter(({ pages }) => (pages === operatorGuide) === isOfOperators)
  const other = isOfOperators ? "Use the data" : "Run the service"
  return html`<nav class="docs-nav" aria-label="Documentation">${groups.map(
    ({ title, pages }) =>
      html`<h2 class="muted small">${title}</h2><ul>${linkItems(pages, current)}</ul>`,
  )}<h2 class="small"><a href="/docs#${idOf(other)}">${other} →</a></h2></nav>`
}

const idOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-")

/** The page `/docs` after a search: the pages that contain the term. */
export const docsMatches = (term: string, matches: readonly Match[]): PageContent =>
  docsLayout("/docs", {
    title: "Search",
    searched: term,
    main: html`${pageTitle("Search", html`Pages of the guide that contain “${isolated(term)}”: ${matches.length}. <a href="/docs">All pages</a>`)}
${matchList(matches)}`,
  })

/** The page `/docs`: every page with its summary. */
export const docsIndex = (): PageContent =>
  docsLayout("/docs", {
    title: "Documentation",
    main: html`${pageTitle("Documentation", html`How to use the data, and how to <a href="#run-the-service">run the service</a>.`)}
<p class="muted">Version ${version}: <a href="${guidePath("changelog")}">what's new</a></p>
<div class="columns">
${way(
  "From a program",
  html`<p>Send a <a href="${guidePath("start")}">first request</a>, then
<a href="${guidePath("whole-lists")}">read a whole list</a> or a
<a href="${guidePath("data-frames")}">table</a>.</p>`,
)}
${way(
  "From a spreadsheet",
  html`<p>One formula in <a href="${guidePath("google-sheets")}">Google Sheets</a>, or a query in
<a href="${guidePath("excel")}">Excel</a> that you refresh.</p>`,
)}
${way(
  "In the browser",
  html`<p><a href="/explore">Explore</a> the tables, filter them, and copy the formula or the request
for that view.</p>`,
)}
</div>
${[...docsGroups, { title: "Background", pages: background }].map(group)}
<section class="stack"><h2>For programs</h2>
<ul class="plain"><li><a href="/docs.md">docs.md</a>: all pages as one Markdown text</li>
<li><a href="/llms.txt">llms.txt</a>: a list of the pages as Markdown</li>
<li><a href="/openapi.json">openapi.json</a>: the description of the API (OpenAPI 3.1)</li></ul></section>`,
  })

const way = (title: string, content: Html): Html =>
  html`<section class="panel"><h2>${title}</h2>${content}</section>`

const group = ({ title, pages }: (typeof docsGroups)[number]): Html =>
  html`<section class="stack" id="${idOf(title)}"><h2>${title}</h2><dl class="facts">${pages.map(
    (link) => html`<dt><a href="${link.path}">${link.title}</a></dt><dd>${link.summary}</dd>`,
  )}</dl></section>`
