/** `/docs`: the guide for people, and the same as text. */
import { Elysia } from "elysia"
import type { Describe } from "../../description/describe-once.ts"
import { type PageOptions, publicPage } from "../kit/page-context.ts"
import { dashboardText, guideMarkdown } from "./guide.ts"
import { guideContent } from "./guide-content.ts"
import { docsIndex } from "./index-page.ts"
import { textResponses } from "./text-response.ts"
import { docsMarkdown, llmsText } from "./texts.ts"

export const docs = (options: PageOptions, describe: Describe) => {
  const text = textResponses(options.baseUrl)
  return new Elysia({ name: "docs" })
    .use(publicPage(options))
    .get("/docs", ({ page }) => page(docsIndex()))
    .get("/docs/guide/dashboard.json", ({ request }) =>
      text(request, "application/json", dashboardText),
    )
    .get("/docs/guide/:name", async ({ page, publicUrl, request, params: { name } }) =>
      name.endsWith(".md")
        ? text(request, "text/markdown", (url) => guideMarkdown(name.slice(0, -".md".length), url))
        : page(await guideContent(name, publicUrl)),
    )
    .get("/docs.md", ({ request }) =>
      text(request, "text/markdown", async (url) => docsMarkdown(url, await describe())),
    )
    .get("/llms.txt", ({ request }) => text(request, "text/plain", async (url) => llmsText(url)))
}
