import { AccountError } from "../../../accounts/access/change.ts"
import { LimitReached } from "../../../accounts/access/sign-in-links.ts"
import { type ApiError, type ErrorCode, faultsOf } from "../../../api/http/api-error.ts"
import { type ErrorPage, toApiError } from "../../../api/plugins/errors.ts"
import { OutcomeUnknown } from "../../../data/db/commit.ts"
import { isForbidden } from "../../../data/db/database-errors.ts"
import { minuteMs } from "../../../system/text/time.ts"
import { pageTitle } from "./components.ts"
import { html } from "./html.ts"
import { layout, type Section, sections, unknownFrame } from "./layout.ts"
import { PageError, pageNotFound, SignInRequired, signInPath } from "./page-error.ts"
import { pageResponse, redirect } from "./page-response.ts"

/** These sections are for people, whatever `Accept` a request has. */
const sectionOf = (pathname: string): Section | undefined =>
  sections.find(({ path }) => `${pathname}/`.startsWith(path === "/" ? "//" : `${path}/`))?.path

/** The page for an error, or the redirect to sign in; undefined if the client is a program. */
export const errorPage: ErrorPage = (error, { request, context }) => {
  const { pathname, search } = new URL(request.url)
  if (context.isApi || pathname === "/mcp") return undefined
  const section = sectionOf(pathname)
  const isForPerson = section !== undefined || error instanceof PageError || acceptsHtml(request)
  if (!isForPerson) return undefined
  // A download may wait longer than its session lasts.
  const isSignedOut = toApiError(error).code === "UNAUTHORIZED"
  const required = isSignedOut ? new SignInRequired() : error
  if (required instanceof SignInRequired) {
    // This page cannot send the form again: the person returns to the section.
    const isRead = request.method === "GET" || request.method === "HEAD"
    const next = required.next ?? (isRead ? pathname + withoutToken(search) : "/account")
    return Promise.resolve(redirect(signInPath(next, required.reason)))
  }
  return pageOf(toPageError(error), request, context.id, section)
}

const acceptsHtml = ({ headers }: Request): boolean =>
  headers.get("accept")?.includes("text/html") ?? false

/** An API token in a URL would stay in the next URL, and in the browser's history. */
function withoutToken(search: string): string {
  const query = new URLSearchParams(search)
  for (const name of [...query.keys()]) {
    if (name.toLowerCase() === "api_key") query.delete(name)
  }
  return query.size > 0 ? `?${query}` : ""
}

function toPageError(error: unknown): PageError {
  if (error instanceof PageError) return error
  if (error instanceof AccountError) {
    return new PageError(400, "Not changed", `${error.message}.`, {}, back)
  }
  if (error instanceof LimitReached) return tooMany(error)
  if (error instanceof OutcomeUnknown) return new PageError(503, ...texts.outcomeUnknown)
  if (isForbidden(error)) return new PageError(503, ...texts.readOnly)
  const apiError = toApiError(error)
  const { code, status, options } = apiError
  if (code === "NOT_FOUND") return pageNotFound()
  if (code === "INVALID_PARAMETER") return badAddress(apiError)
  const [title, message] = apiTexts[code] ?? texts.failed
  return new PageError(status, title, message, options.headers)
}

function badAddress(error: ApiError): PageError {
  const words = faultsOf(error).map(({ parameter, message }) => `${parameter}: ${message}.`)
  return new PageError(
    400,
    "Not a valid address",
    `${words.join(" ")} Correct the address, or remove what follows its question mark.`,
  )
}

type PageText = readonly [title: string, message: string]

const apiTexts: Readonly<Partial<Record<ErrorCode, PageText>>> = {
  METHOD_NOT_ALLOWED: [
    "Not possible here",
    "This address does something else. Use the links and forms of the pages.",
  ],
  UNAVAILABLE: [
    "Try again shortly",
    "The database can't be reached right now, or too many requests are waiting for it. Nothing was changed.",
  ],
}

const texts = {
  failed: [
    "Something failed here",
    "The service has a fault, and has logged it. Try again. If the error persists, send the operator the request id below.",
  ],
  outcomeUnknown: [
    "Not known whether it was changed",
    "The connection to the database was lost while the change was being made. Look at the list before you try again: the change may be there.",
  ],
  readOnly: [
    "Read-only here",
    "This server may only read its database, so nobody can sign in here and nothing can be changed. Another server of this service can.",
  ],
} as const satisfies Record<string, PageText>

const back = html`<p><a class="button" href="/account">Go to your account</a></p>`

const signIn = html`<p><a class="button" href="/account/sign-in">Go to signing in</a></p>`

function tooMany({ until, retryAfterSeconds }: LimitReached): PageError {
  // Rounded up to whole minutes, the precision of the page.
  const time = new Date(Math.ceil(until.getTime() / minuteMs) * minuteMs).toISOString()
  const message = `Too many requests for links. Use a link that was mailed before, or try again at ${time.slice(11, 16)} UTC.`
  const headers = { "Retry-After": String(retryAfterSeconds) }
  return new PageError(429, "Try again later", message, headers, signIn)
}

async function pageOf(
  { status, title, message, headers, next }: PageError,
  request: Request,
  requestId: string,
  section: Section | undefined,
): Promise<Response> {
  const main = html`${pageTitle(title, message)}
<div class="stack">${next}
<p class="muted small">Request id <code>${requestId}</code></p></div>`
  const page = layout({ title, main, ...(section && { section }) }, unknownFrame)
  return pageResponse(request, page, "no-store", { status, headers })
}
