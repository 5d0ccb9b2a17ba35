/** The page of one resource: its fields, and each endpoint that answers with it. */
import { type Example, exampleHeaders, exampleOf } from "../../../description/example-answers.ts"
import type { Description } from "../../../description/openapi.ts"
import { type Operation, type Parameter, titleOf } from "../../../description/operations.ts"
import { bodyText, curlLine, fieldsOf, groupsOf, targetOf } from "../../../description/words.ts"
import type { CanonicalQuery } from "../../../http/canonical-query.ts"
import { pageParameters, withQuery } from "../../explore/lists/list-address.ts"
import type { ListView } from "../../explore/lists/list-view.ts"
import { mainViews } from "../../explore/lists/views.ts"
import { copyable, pageTitle } from "../../kit/components.ts"
import { type Html, html } from "../../kit/html.ts"
import type { PageContent } from "../../kit/layout.ts"
import { docsLayout } from "../docs-layout.ts"
import { referencePath } from "./reference-pages.ts"
import { errorsTable, fieldsTable, headersTable, inline, parametersTable } from "./tables.ts"

/** Undefined where there is no such group. @param publicUrl the address of the service, for requests */
export function groupContent(
  { operations: all, baseUrl }: Description,
  name: string,
  publicUrl: string,
): PageContent | undefined {
  const operations = groupsOf(all).get(name)
  const [first] = operations ?? []
  if (!operations || !first) return undefined
  const { endpoint } = first
  const title = titleOf(name)
  return docsLayout({
    path: referencePath(name),
    title,
    scripts: ["copy.js"],
    main: html`${pageTitle(title, endpoint.kind === "object" ? endpoint.description : endpoint.resource.description)}
<ul class="plain endpoints">${operations.map(({ id, path }) => html`<li><a href="#${id}"><code>GET /api/v1${path}</code></a></li>`)}</ul>
<section class="stack" id="fields"><h2>Fields <a class="anchor" href="#fields" aria-label="Link to this part">#</a></h2>
${fieldsTable(name, fieldsOf(first))}
</section>
${operations.map((operation) => section(operation, { publicUrl, baseUrl }))}`,
  })
}

interface Addresses {
  publicUrl: string
  /** As the service knows it, for its answers. */
  baseUrl: string
}

const section = (operation: Operation, { publicUrl, baseUrl }: Addresses): Html => {
  const { id, summary, path, description, parameters, formats, headers, errors } = operation
  const view = viewOf(operation)
  return html`<section class="stack operation" id="${id}"><h2>${summary} <a class="anchor" href="#${id}" aria-label="Link to this part">#</a></h2>
<p><code class="route">GET /api/v1${path}</code></p>
<p class="prose">${inline(description)}</p>
${view && html`<p><a href="${explorerAddress(view)}">Open ${view.noun[1]} in the explorer</a></p>`}
<h3>Parameters</h3>
${parametersTable(id, parameters, (parameter) => exampleAddress(operation, parameter))}
<h3>${formats.length > 1 ? "Requests and what they are answered with" : "A request and what it is answered with"}</h3>
${formats
  .filter((format) => format !== "tsv")
  .map((format) => exchange(`${id}-${format}`, exampleOf(operation, format), publicUrl))}
<details id="${id}-headers"><summary>Response headers</summary>
${headersTable(`${id}-headers`, headers, exampleHeaders(operation, baseUrl))}
</details>
<details id="${id}-errors"><summary>Errors</summary>
${errorsTable(`${id}-errors`, errors, (code) => `/docs/reference#${code}`)}
</details>
</section>`
}

/** The list in the explorer; for a list of one company, that of all. */
const viewOf = ({ endpoint, group }: Operation): ListView | undefined =>
  endpoint.kind === "list" ? mainViews.find(({ path }) => path === `/${group}`) : undefined

const explorerAddress = ({ path }: ListView, query: CanonicalQuery = []): string =>
  withQuery(`/explore${path}`, query)

/** The list in the explorer with a parameter's example. No release is certain to exist. */
function exampleAddress(operation: Operation, { name, example }: Parameter): string | undefined {
  const view = viewOf(operation)
  if (!view || view.endpoint !== operation.endpoint || name === "as_of") return undefined
  if (!(name in pageParameters(view))) return undefined
  return explorerAddress(view, [[name, String(example)]])
}

/** A request to copy, and its answer. */
const exchange = (id: string, { request, body }: Example, publicUrl: string): Html =>
  html`${copyable(`${id}-request`, curlLine(publicUrl, targetOf(request)))}
<pre class="answer" tabindex="0" id="${id}-answer" aria-label="${`Answer to ${request}`}"><code>${bodyText(body)}</code></pre>`
