/** The documentation as text for programs, with the placeholder of the service's address. */
import { limitOf } from "../../../accounts/access/windows.ts"
import type { Description } from "../../../api/description/openapi.ts"
import { paging } from "../../../api/responses/endpoint.ts"
import { number } from "../kit/format.ts"
import { addressPlaceholder as address, guideMarkdown } from "./guide.ts"
import { background, type DocsPage, guide, operatorGuide, userGuide } from "./pages.ts"

const title = "Mining and Geological Data Service"
const summary =
  "A read-only HTTP API for ASX-listed resource companies, mining tenements of all Australian states, " +
  "company subsidiaries and company announcements, as JSON, CSV or TSV."

export async function referenceText(description: Description): Promise<string> {
  const { referenceMarkdown } = await import("../../../api/description/markdown.ts")
  return referenceMarkdown(description, address)
}

/** `/docs.md`: all pages in one text. */
export async function docsMarkdown(description: Description): Promise<string> {
  const pages = guide.map(({ name }) => guideMarkdown(name))
  const lead = `# ${title}\n\n${summary} The API is at ${address}/api/v1, its OpenAPI description at ${address}/openapi.json.\n`
  const parts = await Promise.all([...pages, referenceText(description)])
  return [lead, ...parts].join("\n---\n\n")
}

/** `/llms.txt`, by its convention (llmstxt.org): a heading, a summary, and lists of links. */
export function llmsText(): string {
  const link = ({ path, title, summary }: DocsPage) =>
    `- [${title}](${address}${path}.md): ${summary}`
  return `# ${title}

> ${summary}

Every request is a GET below ${address}/api/v1 and needs a token in the header \`Authorization: Bearer TOKEN\`.
Lists are paged, at most ${paging.per_page.maximum} records a page; \`format=csv&all=true\` gives a whole list in
one response. A standard account may make ${number(limitOf("standard", null))} requests an hour.

## Guide

${userGuide.map(link).join("\n")}

## Reference

- [Reference](${address}/docs/reference.md): every endpoint with its fields, parameters and a real response
- [OpenAPI description](${address}/openapi.json): every endpoint, parameter, field and error
- [All documentation](${address}/docs.md): everything in one text

## Optional

${[...operatorGuide, ...background].map(link).join("\n")}
`
}
