/** What the pages of the explorer are made with. */

import type { SignedIn } from "../../access/sessions.ts"
import { within } from "../../db/pool/deadlines.ts"
import { orWhereUnavailable } from "../../db/pool/unavailable.ts"
import type { CachedReleases } from "../../db/reader/newest-release.ts"
import type { Reader } from "../../db/reader/reader.ts"
import type { TokenName } from "./elsewhere/panel.ts"
import type { AdmissionOptions } from "./reading/admission.ts"
import { type Ask, type Asking, type AskOptions, createAsk } from "./reading/ask.ts"

export type ExplorerOptions = Omit<AskOptions, "releases" | "reader"> &
  AdmissionOptions & {
    releases: CachedReleases
    reader: Reader
    /** The tokens of an account that can be used, for people to choose from. @throws Unavailable */
    tokens: (accountId: number) => Promise<readonly TokenName[]>
  }

export interface Explorer extends Pick<ExplorerOptions, "releases" | "reader"> {
  ask: Ask
  /** Null where they are not available in time: the page is shown without them. */
  tokens: (accountId: number) => Promise<readonly TokenName[] | null>
}

const tokensWaitMs = 1_000

export const createExplorer = (options: ExplorerOptions): Explorer => ({
  releases: options.releases,
  reader: options.reader,
  tokens: (accountId) =>
    within(tokensWaitMs, options.tokens(accountId)).catch(orWhereUnavailable(null)),
  ask: createAsk(options),
})

/** One request for a page of the explorer. */
export interface Visit extends Asking {
  person: SignedIn
  /** As it was sent. */
  query: string
  /** The service's address as this client reaches it. */
  publicUrl: string
}
