/** What the pages of the account area are made of, but for those about signing in. */
import type { PageChange } from "../../access/page-changes.ts"
import type { RecentRequests } from "../../access/recent-requests.ts"
import type { Usage } from "../../access/usage.ts"
import type { Windows } from "../../access/windows.ts"
import type { Pool } from "../../db/pool/pool.ts"
import type { PageOptions } from "../kit/page-context.ts"

export interface AreaOptions extends PageOptions {
  /** For reads. */
  accountPool: Pool
  changeAccount: PageChange
  usage: Pick<Usage, "overview">
  recentRequests: Pick<RecentRequests, "last">
  windows: Windows
}
