import { LoadError } from "../loading/load-error.ts"

/** Why an address could not be fetched. The message is for the operator. */
export class FetchError extends LoadError {
  override readonly name = "FetchError"
  /** Whether the same request may succeed in a moment. */
  readonly isTemporary: boolean
  /** How long the server asks to wait before the next request. */
  readonly retryAfterMs: number | undefined

  constructor(
    url: URL,
    reason: string,
    { isTemporary = false, retryAfterMs }: { isTemporary?: boolean; retryAfterMs?: number } = {},
  ) {
    super(`Cannot fetch ${shownAddress(url)}: ${reason}`)
    this.isTemporary = isTemporary
    this.retryAfterMs = retryAfterMs
  }
}

/** Without user, password and query, which may hold secrets. */
export const shownAddress = ({ origin, pathname }: URL): string => origin + pathname
