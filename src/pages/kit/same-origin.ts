/**
 * Refuses what a page of another site makes a browser send. Browsers say in `Sec-Fetch-Site` where a
 * request comes from; those that don't, send `Origin` with every POST. Where both are sent, both must
 * say so. The session's cookie is SameSite=Lax besides.
 */
import { PageError } from "./page-error.ts"

/** @param baseUrl the service's public address, where it is set. @throws PageError 403 */
export function requireSameOrigin(request: Request, baseUrl: string): void {
  if (request.method === "GET" || request.method === "HEAD") return
  if (!isSameOrigin(request, baseUrl)) throw crossSite()
}

function isSameOrigin({ headers, url }: Request, baseUrl: string): boolean {
  const site = headers.get("sec-fetch-site")
  if (site !== null && site !== "same-origin") return false
  const origin = headers.get("origin")
  if (origin === null) return site !== null
  if (!URL.canParse(origin)) return false
  // Behind a proxy that ends TLS, the request's own scheme is not the client's: the host decides.
  const { host } = new URL(origin)
  return host === new URL(url).host || (baseUrl !== "" && host === new URL(baseUrl).host)
}

const crossSite = () =>
  new PageError(
    403,
    "Not from this site",
    "The form was not sent from a page of this site, so nothing was changed. Open the page here and try again.",
  )
