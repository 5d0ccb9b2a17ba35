/** The reference, from the API's description: what all endpoints share, and a page for each resource. */
import {
  type Example,
  errorExample,
  exampleHeaders,
  exampleOf,
} from "../../description/example-answers.ts"
import { companiesIn, type Description, introduction } from "../../description/openapi.ts"
import {
  commonHeaders,
  type Operation,
  type Parameter,
  titleOf,
} from "../../description/operations.ts"
import { bodyText, curlLine, fieldsOf, groupsOf, targetOf } from "../../description/words.ts"
import { type ErrorCode, errorTable } from "../../http/api-error.ts"
import { pageParameters, withQuery } from "../explore/lists/list-address.ts"
import type { ListView } from "../explore/lists/list-view.ts"
import { mainViews } from "../explore/lists/views.ts"
import { copyable, pageTitle } from "../kit/components.ts"
import { type Content, type Html, html } from "../kit/html.ts"
import type { PageContent } from "../kit/layout.ts"
import { pageNotFound } from "../kit/page-error.ts"
import { docsLayout } from "./docs-layout.ts"
import { referencePath } from "./pages.ts"
import { errorsTable, fieldsTable, headersTable, inline, parametersTable } from "./tables.ts"

/** `/docs/reference`: every endpoint, and what all of them have in common. */
export function referenceIndex({ operations, baseUrl }: Description): PageContent {
  const companies = companiesIn(operations)
  return docsLayout({
    path: "/docs/reference",
    title: "Reference",
    main: html`${pageTitle("Reference", html`Every endpoint, with its fields, parameters, headers and errors. The same as a description for programs: <a href="/openapi.json">OpenAPI 3.1</a>. Each list leads into the <a href="/explore">explorer</a>, and each endpoint has a line for curl.`)}
<div class="stack prose">${introduction.split("\n\n").map((paragraph) => html`<p>${inline(paragraph)}</p>`)}</div>
${[...groupsOf(operations)].map(([name, members]) => group(name, members))}
${part(
  "headers",
  "Headers of every response",
  headersTable("header", commonHeaders, exampleHeaders(companies, baseUrl)),
)}
${part(
  "errors",
  "Errors",
  html`<p class="prose">Each in the same envelope, as JSON. The <a href="/docs/guide/errors">guide</a> has their causes and what to do.</p>
${(Object.keys(errorTable) as ErrorCode[]).map((code) => error(code, companies))}`,
)}`,
  })
}

const part = (id: string, title: string, content: Content): Html =>
  html`<section class="stack" id="${id}"><h2>${title} ${anchor(id)}</h2>
${content}
</section>`

const anchor = (id: string): Html =>
  html`<a class="anchor" href="#${id}" aria-label="Link to this part">#</a>`

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

/**
 * The page of one resource: its fields, and each endpoint that answers with it.
 * @param publicUrl the address of the service, for requests
 * @throws PageError 404
 */
export function referencePage(
  { operations: all, baseUrl }: Description,
  name: string,
  publicUrl: string,
): PageContent {
  const operations = groupsOf(all).get(name) ?? []
  const [first] = operations
  if (!first) throw pageNotFound()
  const { endpoint } = first
  const title = titleOf(name)
  return docsLayout({
    path: referencePath(name),
    title,
    scripts: ["copy.js"],
    main: html`${pageTitle(title, endpoint.kind === "object" ? endpoint.description : endpoint.resource.description)}
<ul class="plain">${operations.map(({ id, path }) => html`<li><a href="#${id}"><code>GET /api/v1${path}</code></a></li>`)}</ul>
${part("fields", "Fields", fieldsTable(name, fieldsOf(first)))}
${operations.map((operation) => section(operation, publicUrl, baseUrl))}`,
  })
}

/** @param baseUrl the service's address as it knows it, for its answers */
function section(operation: Operation, publicUrl: string, baseUrl: string): Html {
  const { id, summary, path, description, parameters, formats, headers, errors } = operation
  const view = viewOf(operation)
  return html`<section class="stack operation" id="${id}"><h2>${summary} ${anchor(id)}</h2>
<p><code class="route">GET /api/v1${path}</code></p>
<p class="prose">${inline(description)}</p>
${view && html`<p><a href="/explore${view.path}">Open ${view.noun[1]} in the explorer</a></p>`}
<h3>Parameters</h3>
${parametersTable(id, parameters, (parameter) => exampleAddress(operation, parameter))}
<h3>${formats.length > 1 ? "Requests and what they are answered with" : "A request and what it is answered with"}</h3>
${formats
  .filter((format) => format !== "tsv")
  .map((format) => exchange(`${id}-${format}`, exampleOf(operation, format), publicUrl))}
<details><summary>Response headers</summary>
${headersTable(`${id}-headers`, headers, exampleHeaders(operation, baseUrl))}
</details>
<details><summary>Errors</summary>
${errorsTable(`${id}-errors`, errors)}
</details>
</section>`
}

/** The list in the explorer; for a list of one company, that of all. */
const viewOf = ({ endpoint, group }: Operation): ListView | undefined =>
  endpoint.kind === "list" ? mainViews.find(({ path }) => path === `/${group}`) : undefined

/** The list in the explorer with a parameter's example. No release is certain to exist. */
function exampleAddress(operation: Operation, { name, example }: Parameter): string | undefined {
  const view = viewOf(operation)
  if (!view || view.endpoint !== operation.endpoint || name === "as_of") return undefined
  if (!(name in pageParameters(view))) return undefined
  return withQuery(`/explore${view.path}`, [[name, String(example)]])
}

/** A request to copy, and its answer. */
const exchange = (id: string, { request, body }: Example, publicUrl: string): Html =>
  html`${copyable(`${id}-request`, curlLine(publicUrl, targetOf(request)))}
<pre class="answer" tabindex="0" id="${id}-answer" aria-label="${`Answer to ${request}`}"><code>${bodyText(body)}</code></pre>`
