import { Elysia } from "elysia"
import type { Describe } from "../../api/routes/description.ts"
import { audit } from "./account/audit.ts"
import { link } from "./account/link.ts"
import { type NewWatchOptions, newWatchRoutes } from "./account/new-watch.ts"
import { sessionList } from "./account/sessions.ts"
import { signIn } from "./account/sign-in.ts"
import { summary } from "./account/summary.ts"
import { tokenRoutes } from "./account/token.ts"
import { tokensRoutes } from "./account/tokens.ts"
import { unsubscribe } from "./account/unsubscribe.ts"
import { usageRoutes } from "./account/usage.ts"
import { watchRoutes } from "./account/watch.ts"
import { watchList } from "./account/watches.ts"
import { docs } from "./docs/docs.ts"
import { type ExploreOptions, explore } from "./explore/explore.ts"
import { assets } from "./kit/assets.ts"
import { type OverviewOptions, overview } from "./overview/overview.ts"

export type PagesOptions = NewWatchOptions & ExploreOptions & OverviewOptions

export const pages = (options: PagesOptions, describe: Describe) =>
  new Elysia({ name: "pages" })
    .use(assets())
    .use(overview(options))
    .use(docs(options, describe))
    .use(explore(options))
    .use(summary(options))
    .use(tokensRoutes(options))
    .use(tokenRoutes(options))
    .use(watchList(options))
    .use(newWatchRoutes(options))
    .use(watchRoutes(options))
    .use(usageRoutes(options))
    .use(audit(options))
    .use(signIn(options))
    .use(link(options))
    .use(unsubscribe(options))
    .use(sessionList(options))
