/** The account area, but for signing in. */
import { Elysia } from "elysia"
import type { AreaOptions } from "./area-options.ts"
import { audit } from "./audit.ts"
import { accountOverview } from "./overview.ts"
import { token } from "./token.ts"
import { tokens } from "./tokens.ts"
import { usage } from "./usage.ts"

export const accountArea = (options: AreaOptions) =>
  new Elysia({ name: "account-area" })
    .use(accountOverview(options))
    .use(tokens(options))
    .use(token(options))
    .use(usage(options))
    .use(audit(options))
