/** The reference as pages, from its Markdown: what all endpoints share, and a page for each resource. */
import { commonMarkdown, groupMarkdown } from "../../../api/description/markdown.ts"
import { type Description, introduction } from "../../../api/description/openapi.ts"
import { groupsOf, type Operation, type Parameter } from "../../../api/description/operations.ts"
import { pageParameters, withQuery } from "../explore/lists/list-address.ts"
import { mainViews } from "../explore/lists/views.ts"
import type { PageContent } from "../kit/layout.ts"
import { pageNotFound } from "../kit/page-error.ts"
import { articlePage } from "./docs-layout.ts"
import { linkTo } from "./guide.ts"
import { renderMarkdown } from "./markdown.ts"
import { referencePages, referencePath } from "./pages.ts"

/** The words for people: announcements, which the API calls reports. */
const titleOf = (group: string): string =>
  referencePages.find(({ name }) => name === group)?.title ?? group

/** `/docs/reference` */
export function referenceIndex(description: Description): PageContent {
  const groups = [...groupsOf(description.operations)].map(([name, members]) => {
    const path = referencePath(name)
    return `## [${titleOf(name)}](${path})\n\n${endpointLines(path, members)}`
  })
  return page("/docs/reference", "Reference", [
    `Every endpoint, with its fields, parameters, headers and errors. The same as a description for programs:
[OpenAPI 3.1](/openapi.json). Each list leads into the [explorer](/explore), and each endpoint has a line for
curl. Assistants read the same data [through \`/mcp\`](/docs/guide/assistants).`,
    introduction,
    ...groups,
    commonMarkdown(description),
    "The [guide](/docs/guide/errors) has the causes of each error, and what to do.",
  ])
}

/**
 * The page of one resource.
 * @param address of the service, for requests
 * @throws PageError 404
 */
export function referencePage(
  { operations }: Description,
  name: string,
  address: string,
): PageContent {
  const members = groupsOf(operations).get(name)
  if (!members) throw pageNotFound()
  const text = groupMarkdown(name, members, { address, level: 1, explorer: explorerAddress })
  return page(referencePath(name), titleOf(name), [endpointLines("", members), text])
}

/** @param page that describes them; empty for this one */
const endpointLines = (page: string, operations: readonly Operation[]): string =>
  operations
    .map(({ summary, path }) => {
      const id = summary.toLowerCase().replaceAll(" ", "-")
      return `- [${summary}](${page}#${id}): \`GET /api/v1${path}\``
    })
    .join("\n")

const page = (path: string, title: string, parts: readonly string[]): PageContent =>
  articlePage(path, title, renderMarkdown(parts.join("\n\n"), linkTo))

/**
 * The list in the explorer; for a list of one company, that of all.
 * @param parameter whose example is set. No release is certain to exist.
 */
function explorerAddress(
  { endpoint, group }: Operation,
  parameter?: Parameter,
): string | undefined {
  const view = mainViews.find(({ path }) => path === `/${group}`)
  if (!view || endpoint.kind !== "list") return undefined
  if (!parameter) return `/explore${view.path}`
  const { name, example } = parameter
  const isOfPage = view.endpoint === endpoint && name in pageParameters(view) && name !== "as_of"
  return isOfPage ? withQuery(`/explore${view.path}`, [[name, String(example)]]) : undefined
}
