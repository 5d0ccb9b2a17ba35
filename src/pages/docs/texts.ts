/** The documentation as text, for programs that read it. */
import { limitOf } from "../../access/plan.ts"
import { paging } from "../../answers/list-endpoint.ts"
import type { Description } from "../../description/openapi.ts"
import { number } from "../kit/format.ts"
import { guideMarkdown } from "./guide.ts"
import { type GuidePage, guidePages, guidePath, operatorGuide, userGuide } from "./guide-pages.ts"

const title = "Mining and Geological Data Service"
const summary =
  "A read-only HTTP API for ASX-listed resource companies, mining tenements of all Australian states, company subsidiaries and company announcements, as JSON, CSV or TSV."

/** `/docs.md`: all of it in one text. */
export async function docsMarkdown(publicUrl: string, description: Description): Promise<string> {
  const { referenceMarkdown } = await import("../../description/markdown.ts")
  const pages = await Promise.all(guidePages.map(({ name }) => guideMarkdown(name, publicUrl)))
  const lead = `# ${title}\n\n${summary} The API is at ${publicUrl}/api/v1, its OpenAPI description at ${publicUrl}/openapi.json.\n`
  return [lead, ...pages, referenceMarkdown(description, publicUrl)].join("\n---\n\n")
}

/** `/llms.txt`, by its convention (llmstxt.org): a heading, a summary, and lists of links. */
export function llmsText(publicUrl: string): string {
  const link = ({ name, title, summary }: GuidePage) =>
    `- [${title}](${publicUrl}${guidePath(name)}.md): ${summary}`
  return `# ${title}

> ${summary}

Every request is a GET below ${publicUrl}/api/v1 and needs a token in the header \`Authorization: Bearer TOKEN\`. Lists are paged, at most ${paging.per_page.maximum} records a page; \`format=csv&all=true\` gives a whole list in one response. A standard account may make ${number(limitOf("standard", null))} requests an hour.

## Guide

${userGuide.map(link).join("\n")}

## Reference

- [Reference](${publicUrl}/docs/reference.md): every endpoint with its fields, parameters and a real answer
- [OpenAPI description](${publicUrl}/openapi.json): every endpoint, parameter, field and error
- [All documentation](${publicUrl}/docs.md): everything in one text

## Optional

${operatorGuide.map(link).join("\n")}
`
}
