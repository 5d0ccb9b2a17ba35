/** What every page needs: who has signed in, and the frame around its content. */
import { Elysia } from "elysia"
import type { Sessions, SignedIn } from "../../access/sessions.ts"
import { orWhereUnavailable, within } from "../../db/pool/unavailable.ts"
import type { CachedReleases } from "../../db/reader/newest-release.ts"
import { contextFields } from "../../plugins/request-context.ts"
import { hourMs } from "../../text/durations.ts"
import { loadAssets } from "./assets.ts"
import { layout, type PageContent } from "./layout.ts"
import { SignInRequired } from "./page-error.ts"
import { pageResponse } from "./page-response.ts"
import { requireSameOrigin } from "./same-origin.ts"
import { sessionCookie } from "./session-cookie.ts"

export interface PageOptions {
  sessions: Pick<Sessions, "find">
  releases: Pick<CachedReleases, "cached">
  /** The service's public address; empty where it is not set. */
  baseUrl: string
  now: () => Date
}

export interface PageResult extends PageContent {
  status?: number
  headers?: Readonly<Record<string, string>>
}

/**
 * Gives `session`, null where nobody has signed in; `page`, which makes the response; and `publicUrl`,
 * the address of the service as this client reaches it. @throws PageError 403; Unavailable
 */
export const pageContext = (options: PageOptions) =>
  new Elysia({ name: "page-context" })
    .use(contextFields())
    .resolve(async (context) => {
      const { request } = context
      requireSameOrigin(request, options.baseUrl)
      const session = await sessionOf(request, options)
      if (session) context.accountId = session.accountId
      return {
        session,
        publicUrl: publicUrlOf(request, options.baseUrl),
        page: (result: PageResult) => framed(result, { request, session, options }),
      }
    })
    .as("scoped")

/** Ample while the database is up. */
const publicWaitMs = 1_000

/**
 * For pages that anybody may open. Gives `publicUrl`, and `page`, which also shows who has signed in,
 * unless that can't be read: such a page needs no database.
 */
export const publicPage = (options: PageOptions) =>
  new Elysia({ name: "public-page" })
    .use(contextFields())
    .resolve((context) => {
      const { request } = context
      return {
        publicUrl: publicUrlOf(request, options.baseUrl),
        page: async (result: PageResult): Promise<Response> => {
          const session = await within(publicWaitMs, sessionOf(request, options)).catch(
            orWhereUnavailable(undefined),
          )
          if (session) context.accountId = session.accountId
          return framed(result, { request, session, options })
        },
      }
    })
    .as("scoped")

async function sessionOf(
  request: Request,
  { sessions, now }: PageOptions,
): Promise<SignedIn | null> {
  const cookie = sessionCookie.read(request)
  return cookie === null ? null : sessions.find(cookie, now())
}

/** The address of the service as this client reaches it. */
export const publicUrlOf = ({ url }: Pick<Request, "url">, baseUrl: string): string =>
  baseUrl || new URL(url).origin

async function framed(
  { status, headers, ...content }: PageResult,
  asked: { request: Request; session: SignedIn | null | undefined; options: PageOptions },
): Promise<Response> {
  const { request, session, options } = asked
  const frame = {
    assets: await loadAssets(),
    email: session === null ? null : session?.email,
    release: options.releases.cached() ?? null,
    nowMs: options.now().getTime(),
  }
  const cacheControl = session ? "no-store" : "private, no-cache"
  return pageResponse(request, layout(content, frame), cacheControl, { status, headers })
}

/** Gives `person`, who has signed in. Others are led to sign in and back. */
export const signedIn = (options: PageOptions) =>
  new Elysia({ name: "signed-in" })
    .use(pageContext(options))
    .resolve(({ session }): { person: SignedIn } => {
      if (!session) throw new SignInRequired()
      return { person: session }
    })
    .as("scoped")

/** For how long after signing in a person may do what gives access to others. */
const recentMs = hourMs

/** Whether the person signed in within the last hour. */
export const isRecentSignIn = ({ signedInAt }: Pick<SignedIn, "signedInAt">, now: Date): boolean =>
  now.getTime() - signedInAt.getTime() <= recentMs

/**
 * @param next where a form that was sent can be sent again
 * @throws SignInRequired where the person signed in more than an hour ago
 */
export function requireRecentSignIn(person: SignedIn, now: Date, next?: string): void {
  if (!isRecentSignIn(person, now)) throw new SignInRequired("again", next)
}
