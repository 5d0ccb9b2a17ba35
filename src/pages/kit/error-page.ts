/** Errors as pages, for people. */
import { isForbidden } from "../../db/forbidden.ts"
import { isOfApi } from "../../plugins/common-headers.ts"
import { type ErrorPage, toApiError } from "../../plugins/errors.ts"
import { loadAssets } from "./assets.ts"
import { pageTitle } from "./components.ts"
import { html } from "./html.ts"
import { layout, type Section } from "./layout.ts"
import { PageError, pageNotFound, SignInRequired, signInPath } from "./page-error.ts"
import { pageResponse, redirect } from "./page-response.ts"

/** Everything below these is for people, whatever they accept. */
const sections = ["account", "explore", "docs"] as const

const sectionOf = (path: string): Section | undefined =>
  path === "/" ? "overview" : sections.find((name) => `${path}/`.startsWith(`/${name}/`))

/** The page that shows an error, or the redirect to sign in; undefined where the client is a program. */
export const errorPage: ErrorPage = (error, { request, requestId }) => {
  if (isOfApi(request)) return undefined
  const { pathname, search } = new URL(request.url)
  const section = sectionOf(pathname)
  const isForPerson = section !== undefined || error instanceof PageError || acceptsHtml(request)
  if (!isForPerson) return undefined
  if (error instanceof SignInRequired) {
    return Promise.resolve(
      redirect(signInAddress(request.method, pathname + withoutToken(search), error)),
    )
  }
  return pageOf(toPageError(error), { request, requestId, section })
}

const acceptsHtml = ({ headers }: Request): boolean =>
  headers.get("accept")?.includes("text/html") ?? false

/** An API token in an address would stay in the next one, and in the browser's history. */
function withoutToken(search: string): string {
  const isToken = (pair: string) =>
    [...new URLSearchParams(pair).keys()].some((name) => name.toLowerCase() === "api_key")
  const kept = search
    .slice(1)
    .split("&")
    .filter((pair) => !isToken(pair))
  return kept.join("&") && `?${kept.join("&")}`
}

/** A form that was sent can't be sent again from here: the person comes back to the section. */
function signInAddress(method: string, target: string, { reason, next }: SignInRequired): string {
  const asked = method === "GET" || method === "HEAD" ? target : "/account"
  return signInPath(next ?? asked, reason)
}

function toPageError(error: unknown): PageError {
  if (error instanceof PageError) return error
  if (isForbidden(error)) return readOnly()
  const { code, status, options } = toApiError(error)
  switch (code) {
    case "NOT_FOUND":
      return pageNotFound()
    case "METHOD_NOT_ALLOWED":
      return new PageError(
        status,
        "Not possible here",
        `This address can only be asked for by ${options.headers?.Allow}. Use the links and forms of the pages.`,
        options.headers,
      )
    case "INVALID_PARAMETER":
      return new PageError(
        status,
        "Not a valid address",
        "The address has a part that can't be read.",
      )
    case "UNAVAILABLE":
      return new PageError(
        status,
        "Try again shortly",
        "The database can't be reached right now, or too many requests are waiting for it. Nothing was changed.",
        options.headers,
      )
    default:
      return new PageError(
        500,
        "Something failed here",
        "This is a fault of the service, and it is logged. Try again; if it stays, tell the operator the request id below.",
      )
  }
}

const readOnly = () =>
  new PageError(
    503,
    "Read-only here",
    "This server may only read its database, so nobody can sign in here and nothing can be changed. Another server of this service can.",
  )

async function pageOf(
  error: PageError,
  {
    request,
    requestId,
    section,
  }: { request: Request; requestId: string; section: Section | undefined },
): Promise<Response> {
  const { status, title, message, headers, next } = error
  const main = html`${pageTitle(title, message)}
<div class="stack">${next}
<p class="muted small">Request id <code>${requestId}</code></p></div>`
  const frame = { assets: await loadAssets(), email: undefined, release: null, nowMs: 0 }
  return pageResponse(
    request,
    layout({ title, main, ...(section && { section }) }, frame),
    "no-store",
    { status, headers },
  )
}
