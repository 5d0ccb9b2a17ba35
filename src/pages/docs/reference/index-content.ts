/** `/docs/reference`: every endpoint, and what all of them have in common. */
import { errorExample, exampleHeaders } from "../../../description/example-answers.ts"
import { companiesIn, type Description, introduction } from "../../../description/openapi.ts"
import { commonHeaders, type Operation, titleOf } from "../../../description/operations.ts"
import { bodyText, groupsOf } from "../../../description/words.ts"
import { type ErrorCode, errorTable } from "../../../http/api-error.ts"
import { pageTitle } from "../../kit/components.ts"
import { type Html, html } from "../../kit/html.ts"
import type { PageContent } from "../../kit/layout.ts"
import { docsLayout } from "../docs-layout.ts"
import { referencePath } from "./reference-pages.ts"
import { headersTable, inline } from "./tables.ts"

export const indexContent = ({ operations, baseUrl }: Description): PageContent => {
  const companies = companiesIn(operations)
  return docsLayout({
    path: "/docs/reference",
    title: "Reference",
    main: html`${pageTitle("Reference", html`Every endpoint, with its fields, parameters, headers and errors. The same as a description for programs: <a href="/openapi.json">OpenAPI 3.1</a>. Each list leads into the <a href="/explore">explorer</a>, and each endpoint has a line for curl.`)}
<div class="stack prose">${introduction.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>`)}</div>
${[...groupsOf(operations)].map(([name, members]) => group(name, members))}
<section class="stack" id="headers"><h2>Headers of every response <a class="anchor" href="#headers" aria-label="Link to this part">#</a></h2>
${headersTable("header", commonHeaders, exampleHeaders(companies, baseUrl))}
</section>
<section class="stack" id="errors"><h2>Errors <a class="anchor" href="#errors" aria-label="Link to this part">#</a></h2>
<p class="prose">Each in the same envelope, as JSON. The <a href="/docs/guide/errors">guide</a> has their causes and what to do.</p>
${(Object.keys(errorTable) as ErrorCode[]).map((code) => error(code, companies))}
</section>`,
  })
}

const group = (name: string, members: readonly Operation[]): Html =>
  html`<section class="stack" id="${name}"><h2><a href="${referencePath(name)}">${titleOf(name)}</a></h2>
<dl class="contents">${members.map(
    ({ id, path, summary }) =>
      html`<div><dt><a href="${`${referencePath(name)}#${id}`}">${summary}</a></dt><dd><code>GET /api/v1${path}</code></dd></div>`,
  )}</dl></section>`

function error(code: ErrorCode, companies: Operation): Html {
  const { request, body } = errorExample(code, companies)
  const { status, when } = errorTable[code]
  return html`<section class="stack error" id="${code}"><h3><a class="name" href="#${code}">${status} <code>${code}</code></a></h3>
<p class="prose">${inline(when)} For example, <code>${request}</code>:</p>
<pre class="answer" tabindex="0"><code>${bodyText(body)}</code></pre></section>`
}
