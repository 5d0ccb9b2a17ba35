/**
 * `/docs/reference`: what the API offers, from its description. The code of the pages is loaded when one
 * is first asked for.
 */
import { Elysia } from "elysia"
import type { Describe } from "../../../description/describe-once.ts"
import { type PageOptions, publicPage } from "../../kit/page-context.ts"
import { pageNotFound } from "../../kit/page-error.ts"
import { textResponses } from "../text-response.ts"

export const reference = (options: PageOptions, describe: Describe) => {
  const text = textResponses(options.baseUrl)
  return new Elysia({ name: "reference" })
    .use(publicPage(options))
    .get("/docs/reference", async ({ page }) => {
      const { indexContent } = await import("./index-content.ts")
      return page(indexContent(await describe()))
    })
    .get("/docs/reference.md", ({ request }) =>
      text(request, "text/markdown", async (url) => {
        const { referenceMarkdown } = await import("../../../description/markdown.ts")
        return referenceMarkdown(await describe(), url)
      }),
    )
    .get("/docs/reference/:name", async ({ page, publicUrl, params: { name } }) => {
      const { groupContent } = await import("./group-content.ts")
      const content = groupContent(await describe(), name, publicUrl)
      if (!content) throw pageNotFound()
      return page(content)
    })
}
