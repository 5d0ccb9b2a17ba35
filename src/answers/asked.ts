/** A request for data, as the answers need it. */

/** What is asked for, as it was sent. */
export interface Target {
  path: string
  query: string
  /** The header `Accept` (RFC 9110, 12.5.1); the parameter `format` wins. */
  accept: string | null
}

/** Who reads. */
export interface Asker {
  /** The account whose turns at the database it takes. */
  account: number
  /** Whose page sequences it belongs to: those of a token, or of a session of the explorer. */
  sequenceOwner: string
}

export interface Asked extends Asker {
  request: Request
  requestId: string
  target: Target
  /** The headers that its response has whatever its content: its id and the state of a window. */
  headers: Readonly<Record<string, string>>
  /** Lets the connection be quiet for as long as the response takes. */
  disableIdleTimeout: () => void
}
