/** What people open in a browser. */
import { Elysia } from "elysia"
import type { Describe } from "../description/describe-once.ts"
import type { SignInOptions } from "./account/account-options.ts"
import { accountArea } from "./account/area.ts"
import type { AreaOptions } from "./account/area-options.ts"
import { link } from "./account/link.ts"
import { password } from "./account/password.ts"
import { sessionList } from "./account/sessions.ts"
import { signIn } from "./account/sign-in.ts"
import { docs } from "./docs/docs.ts"
import { type ExploreOptions, explore } from "./explore/explore.ts"
import { assets } from "./kit/assets-route.ts"
import { type OverviewOptions, overview } from "./overview/overview.ts"

export type PagesOptions = AreaOptions & ExploreOptions & OverviewOptions & SignInOptions

export const pages = (options: PagesOptions, describe: Describe) =>
  new Elysia({ name: "pages" })
    .use(assets())
    .use(overview(options))
    .use(docs(options, describe))
    .use(explore(options))
    .use(accountArea(options))
    .use(signIn(options))
    .use(link(options))
    .use(password(options))
    .use(sessionList(options))
