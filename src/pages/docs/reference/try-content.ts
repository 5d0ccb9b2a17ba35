/** Swagger UI on a page of ours. */
import { loadAssets } from "../../kit/assets.ts"
import { pageTitle } from "../../kit/components.ts"
import { html } from "../../kit/html.ts"
import type { PageContent } from "../../kit/layout.ts"
import { swaggerAddress } from "./swagger-files.ts"

/** Without the navigation beside it, for it needs the room. */
export async function tryContent(): Promise<PageContent> {
  const [styles, program, assets] = await Promise.all([
    swaggerAddress("swagger-ui.css"),
    swaggerAddress("swagger-ui-bundle.js"),
    loadAssets(),
  ])
  return {
    title: "Try it",
    section: "docs",
    main: html`<p class="small above-title"><a href="/docs">All documentation</a></p>
${pageTitle("Try it", html`Requests are sent from your browser and count against your window. Give a token under Authorize first; it is forgotten when you leave the page. Everything here is in the <a href="/docs/reference">reference</a> too.`)}
<link rel="stylesheet" href="${styles}">
<noscript><p class="notice">This page needs scripts. The <a href="/docs/reference">reference</a> does not, and has a line for curl for each request.</p></noscript>
<div id="swagger-ui" class="try"></div>
<script defer src="${program}"></script>
<script type="module" src="${assets["try.js"].path}"></script>`,
  }
}
