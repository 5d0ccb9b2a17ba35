/** What is known of one request beside its text. */
import type { Caller } from "../access/credentials.ts"

export interface Exchange {
  /** Names the request in the answer and in the log. */
  id: string
  startedMs: number
  /** The caller's address, as the socket or the trusted proxies tell it. */
  address: string
  /** Set once the token is known to be valid. */
  caller?: Caller
  /** Lets the connection be quiet for as long as the answer takes. */
  liftIdleTimeout: () => void
}

const exchanges = new WeakMap<Request, Exchange>()

export const beginExchange = (request: Request, exchange: Exchange): void => {
  exchanges.set(request, exchange)
}

export function exchangeOf(request: Request): Exchange {
  const exchange = exchanges.get(request)
  if (!exchange) throw new Error("A request reached the app without passing the server")
  return exchange
}
