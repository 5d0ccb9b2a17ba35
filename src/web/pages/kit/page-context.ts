/** The context of every page: the session, and the frame around the content. */
import { Elysia } from "elysia"
import type { Sessions, SignedIn } from "../../../accounts/access/sessions.ts"
import { isOwnOrigin } from "../../../api/http/own-origin.ts"
import { contextOf } from "../../../api/plugins/request-context.ts"
import type { Turns } from "../../../data/db/pool/turns.ts"
import { ifUnavailable, noResponseWithin } from "../../../data/db/pool/unavailable.ts"
import type { CachedReleases } from "../../../data/reader/newest-release.ts"
import { newestObserved, type ReadSourceReadings } from "../../../data/reader/source-readings.ts"
import { once } from "../../../system/text/memoized.ts"
import { settleWithin } from "../../../system/text/settle-within.ts"
import { hourMs } from "../../../system/text/time.ts"
import { layout, type PageContent } from "./layout.ts"
import { PageError, SignInRequired } from "./page-error.ts"
import { pageResponse, sessionCookie } from "./page-response.ts"

export interface PageOptions {
  sessions: Pick<Sessions, "find">
  releases: Pick<CachedReleases, "cached">
  sourceReadings: ReadSourceReadings
  /** Limits the requests of each account at once. */
  requestTurns: Pick<Turns, "take">
  /** The service's public URL; empty if it is not set. */
  baseUrl: string
  now: () => Date
}

export interface PageResult extends PageContent {
  status?: number
  headers?: Readonly<Record<string, string>>
}

/** The time limit of reading the session for a page that does not need it. */
const sessionWaitMs = 1_000

/**
 * Adds `address`, the client's; `publicUrl`, the URL of the service as this client reaches it; `session`,
 * which reads the session and, once its use is recorded, renews the cookie; `visitor`; `isSessionValid`, which reads it
 * again; and `page`, which makes the response. The frame shows the signed-in person, unless
 * the session is unreadable: a page that does not use the session needs no database.
 * @throws PageError 403
 */
export const pageContext = (options: PageOptions) =>
  new Elysia({ name: "page-context" })
    // Leaves the body of a form to `readForm`.
    .onParse({ as: "scoped" }, () => null)
    .resolve(({ request }) => {
      const context = contextOf(request)
      if (!isSameOrigin(request, options.baseUrl)) throw crossSite()
      const renewal: { cookie?: string } = {}
      const find = async (): Promise<SignedIn | null> => {
        const cookie = sessionCookie.read(request)
        if (cookie === null) return null
        const found = await options.sessions.find(cookie, options.now(), context.address)
        if (found && found.renewedSeconds !== null) {
          renewal.cookie = sessionCookie.text(cookie, found.renewedSeconds)
        }
        return found
      }
      /** Null without a session. @throws Unavailable */
      const session = once(async (): Promise<SignedIn | null> => {
        const found = await find()
        if (found) context.accountId = found.accountId
        return found
      })
      /** The person for a page that anyone may open; undefined if the session is unreadable. */
      const visitor = () =>
        settleWithin(sessionWaitMs, session(), noResponseWithin).catch(ifUnavailable(undefined))
      return {
        session,
        visitor,
        isSessionValid: async () => (await find()) !== null,
        renewal,
        address: context.address,
        publicUrl: publicUrlOf(request, options.baseUrl),
        page: async ({ status, headers, ...content }: PageResult): Promise<Response> => {
          const [person, data] = await Promise.all([visitor(), options.sourceReadings()])
          const frame = {
            email: person === null ? null : person?.email,
            release: options.releases.cached() ?? null,
            dataAt: data ? newestObserved(data) : null,
            nowMs: options.now().getTime(),
          }
          const cacheControl = person ? "no-store" : "private, no-cache"
          return pageResponse(request, layout(content, frame), cacheControl, { status, headers })
        },
      }
    })
    // A response that sets or clears the cookie itself keeps it.
    .onAfterHandle({ as: "scoped" }, ({ response, renewal }) => {
      const cookie = renewal?.cookie
      if (cookie === undefined || !(response instanceof Response)) return
      if (!response.headers.has("set-cookie")) response.headers.set("Set-Cookie", cookie)
    })
    .as("scoped")

/** The URL of the service as this client reaches it. */
export const publicUrlOf = ({ url }: Pick<Request, "url">, baseUrl: string): string =>
  baseUrl || new URL(url).origin

/**
 * Adds `person`, the signed-in person. Redirects other visitors to sign in and back.
 * @throws Overloaded
 */
export const signedIn = (options: PageOptions) =>
  new Elysia({ name: "signed-in" })
    .use(pageContext(options))
    .resolve(async ({ session, request }): Promise<{ person: SignedIn }> => {
      const person = await session()
      if (!person) throw new SignInRequired()
      contextOf(request).end = await options.requestTurns.take(person.accountId)
      return { person }
    })
    .as("scoped")

/** Whether the person signed in within the last hour, which creating credentials requires. */
export const isRecentSignIn = ({ signedInAt }: Pick<SignedIn, "signedInAt">, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() <= hourMs

/** @param next the page with the form @throws SignInRequired if the person signed in more than an hour ago */
export function requireRecentSignIn(person: SignedIn, now: Date, next: string): void {
  if (!isRecentSignIn(person, now)) throw new SignInRequired("again", next)
}

/**
 * False for a form that a page of another site makes a browser send. Browsers send the origin of a request in
 * `Sec-Fetch-Site`; others send `Origin` with every POST. If both are sent, both must match. The session's
 * cookie is SameSite=Lax besides.
 * @param baseUrl the service's public URL; empty if it is not set
 */
function isSameOrigin({ method, headers, url }: Request, baseUrl: string): boolean {
  if (method === "GET" || method === "HEAD") return true
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin") return false
  const origin = headers.get("origin")
  return origin === null ? site !== null : isOwnOrigin(origin, url, baseUrl)
}

const crossSite = () =>
  new PageError(
    403,
    "Not from this site",
    "The form was not sent from a page of this site, so nothing was changed. Open the page here and try again.",
  )
