/**
 * Whether an `Origin` header names this service: the host that the request was sent to, or that of its
 * public address. Behind a proxy that ends TLS, the request's own scheme is not the client's: the host
 * decides.
 * @param url of the request
 * @param baseUrl the service's public address; empty where it is not set
 */
export function isOwnOrigin(origin: string, url: string, baseUrl: string): boolean {
  if (!URL.canParse(origin)) return false
  const { host } = new URL(origin)
  return host === new URL(url).host || (baseUrl !== "" && host === new URL(baseUrl).host)
}
