/** What does not depend on the path of a request: its id, its start and its client's address. */
import { Elysia } from "elysia"
import { LRUCache } from "lru-cache"
import { withoutToken } from "../db/account-tables.ts"
import { clientAddress } from "../http/client-address.ts"

/** The fields of the context, for plugins and routes that read them. */
export const contextFields = () =>
  new Elysia({ name: "context-fields" }).decorate({
    /** Identifies the request in the response and in the log. */
    requestId: "",
    /** By `performance.now()`. */
    startedMs: 0,
    /** The client's address, by the socket or the trusted proxies; empty without a server. */
    address: "",
    /** The account of the caller or of the person that has signed in, for the log; 0 without either. */
    accountId: 0,
    /** The token of the caller; `withoutToken` without a valid one. */
    tokenId: withoutToken,
    /** Whether the owner of the account sees it among the recent requests. */
    isListed: false,
    /** The code of the error that it was answered with, for the log; empty without one. */
    errorCode: "",
  })

/** Addresses that are used again and again, whose parsing would cost more than all else here. */
const keptAddresses = 1_000

/** Fills the fields. `onRequest`, because that runs for unknown paths too. */
export const requestContext = ({ trustedProxies }: { trustedProxies: number }) => {
  const ofSockets = new LRUCache<string, string>({ max: keptAddresses })

  /** Without trusted proxies it follows from the socket's address alone, which is short. */
  function addressOf(socketAddress: string, { headers }: Request): string {
    if (trustedProxies > 0) {
      return clientAddress(socketAddress, headers.get("x-forwarded-for"), trustedProxies)
    }
    const kept = ofSockets.get(socketAddress)
    if (kept !== undefined) return kept
    const address = clientAddress(socketAddress, null, 0)
    ofSockets.set(socketAddress, address)
    return address
  }

  return new Elysia({ name: "request-context" }).use(contextFields()).onRequest((context) => {
    const { request, server } = context
    context.requestId = crypto.randomUUID()
    context.startedMs = performance.now()
    context.accountId = 0
    context.tokenId = withoutToken
    context.isListed = false
    context.errorCode = ""
    context.address = addressOf(server?.requestIP(request)?.address ?? "", request)
  })
}
