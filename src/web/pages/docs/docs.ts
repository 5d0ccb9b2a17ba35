/** `/docs`: the guide and the reference for people, and the same as text. */
import { Elysia } from "elysia"
import { codedBody, encodedResponse } from "../../../api/http/content-coding.ts"
import type { Describe } from "../../../api/routes/description.ts"
import { readQuery } from "../kit/form.ts"
import { type PageOptions, pageContext, publicUrlOf } from "../kit/page-context.ts"
import { docsIndex, docsMatches } from "./docs-layout.ts"
import {
  addressPlaceholder,
  guideContent,
  guideMarkdown,
  monitoringFile,
  searchGuide,
} from "./guide.ts"
import { docsMarkdown, llmsText, referenceText } from "./texts.ts"

export const docs = (options: PageOptions, describe: Describe) => {
  /** A text whose samples contain the address of the service. */
  const text = (request: Request, type: string, content: string): Response => {
    const address = publicUrlOf(request, options.baseUrl)
    const body = codedBody(content.replaceAll(addressPlaceholder, () => address))
    return encodedResponse(request, body, {
      headers: {
        "Content-Type": `${type}; charset=utf-8`,
        // Without BASE_URL the text contains the Host of this client, so shared caches must not store it.
        "Cache-Control": `${options.baseUrl === "" ? "private" : "public"}, max-age=300`,
        Vary: "Accept-Encoding",
      },
    })
  }
  return (
    new Elysia({ name: "docs" })
      .use(pageContext(options))
      .get("/docs", async ({ page, request }) => {
        const term = readQuery(request).get("q").trim().slice(0, 200)
        return page(term ? docsMatches(term, await searchGuide(term)) : docsIndex())
      })
      .get("/docs/guide/dashboard.json", async ({ request }) =>
        text(request, "application/json", await monitoringFile("dashboard.json")),
      )
      .get("/docs/guide/alerts.yaml", async ({ request }) =>
        text(request, "application/yaml", await monitoringFile("alerts.yaml")),
      )
      .get("/docs/guide/:name", async ({ page, publicUrl, request, params: { name } }) =>
        name.endsWith(".md")
          ? text(request, "text/markdown", await guideMarkdown(name.slice(0, -".md".length)))
          : page(await guideContent(name, publicUrl)),
      )
      // Imported at the first request: most processes never show the reference.
      .get("/docs/reference", async ({ page }) => {
        const { referenceIndex } = await import("./reference.ts")
        return page(referenceIndex(await describe()))
      })
      .get("/docs/reference/:name", async ({ page, publicUrl, params: { name } }) => {
        const { referencePage } = await import("./reference.ts")
        return page(referencePage(await describe(), name, publicUrl))
      })
      .get("/docs/reference.md", async ({ request }) =>
        text(request, "text/markdown", await referenceText(await describe())),
      )
      .get("/docs.md", async ({ request }) =>
        text(request, "text/markdown", await docsMarkdown(await describe())),
      )
      .get("/llms.txt", ({ request }) => text(request, "text/plain", llmsText()))
  )
}
