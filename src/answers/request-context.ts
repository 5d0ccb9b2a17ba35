import type { AccountId } from "../db/pool/turns.ts"
import type { ListTarget } from "./list-plan.ts"

/** What a response depends on besides the data. */
export interface RequestContext extends ListTarget {
  request: Request
  requestId: string
  caller: { accountId: number; tokenId: number }
  /** Whose page sequences it belongs to: those of a token, or of a session of the explorer. */
  reader: string
  /** Lets the connection be quiet for as long as the response takes. */
  disableIdleTimeout: () => void
}

/** Whose turns at the database a request takes. */
export const accountOf = ({ caller }: RequestContext): AccountId => caller.accountId
