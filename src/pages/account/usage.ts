/** Usage: where the window stands, how much was requested, and the last requests. */
import { Elysia } from "elysia"
import { listOwnTokens } from "../../access/token-list.ts"
import { signedIn } from "../kit/page-context.ts"
import type { AreaOptions } from "./area-options.ts"
import { classes } from "./request-status.ts"
import { usagePage } from "./usage-page.ts"
import { readWindow } from "./window-state.ts"

export const usage = (options: AreaOptions) => {
  const { accountPool, usage, recentRequests, windows, now } = options
  return new Elysia({ name: "usage-page" })
    .use(signedIn(options))
    .get("/account/usage", async ({ person, query, page }) => {
      const { accountId } = person
      const [window, overview, requests, tokens] = await Promise.all([
        readWindow(windows, person),
        usage.overview(accountId, now()),
        recentRequests.last(accountId),
        listOwnTokens(accountPool, accountId, { now: now() }),
      ])
      const chosen = classes.find(({ name }) => name === query.status)?.name ?? ""
      return page(usagePage({ person, window, overview, requests, tokens, chosen }))
    })
}
