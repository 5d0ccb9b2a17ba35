/** `/`: what this is, the state of the data, a request to try, and the ways in. */
import { Elysia } from "elysia"
import { type PageOptions, pageContext } from "../kit/page-context.ts"
import { createDataState, type DataStateOptions } from "./data-state.ts"
import { overviewContent } from "./overview-content.ts"

export type OverviewOptions = PageOptions & DataStateOptions

export const overview = (options: OverviewOptions) => {
  const dataState = createDataState(options)
  return new Elysia({ name: "overview" })
    .use(pageContext(options))
    .get("/", async ({ page, publicUrl }) =>
      page(overviewContent(await dataState(), publicUrl, options.now().getTime())),
    )
}
