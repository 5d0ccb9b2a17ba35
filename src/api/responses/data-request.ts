/** A request for data. */
import type { Format } from "../http/formats.ts"

/** What the client sent. */
export interface Sent {
  query: string
  /** The formats that it accepts, the preferred one first. The endpoint may offer none of them. */
  accepted: readonly Format[]
}

/** The account and the reader that a request belongs to. */
export interface Requester {
  /** The account whose turns at the database the request takes. */
  account: number
  /** The owner of its page sequences: a token, or a session of the explorer. */
  sequenceOwner: string
}

export interface DataRequest extends Requester {
  request: Request
  requestId: string
  /** The response headers that do not follow from the content: the request id and the state of a window. */
  headers: Readonly<Record<string, string>>
  /** Whether the token or the session is still valid. @throws Unavailable */
  isCallerValid: () => Promise<boolean>
  /** Lifts the idle timeout of the connection. @returns sets it again, before the response ends */
  liftIdleTimeout: () => () => void
}
