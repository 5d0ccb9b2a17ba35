/**
 * Checks of the addresses in the settings, by how their drivers parse them. A character that ends
 * the user and password too early makes a part of the password a host, a port or a path. So no
 * message repeats any part of an address, and addresses that may contain such a part are refused.
 */

const invalidHost = "has an invalid host or port; write @ and , in a password as %40 and %2C"
const oneHost =
  "must have one host; where a database has several, give an address that leads to its primary, and write @ and , in a password as %40 and %2C"

/** The address of one host, and what is between its scheme and the first / or ?: user, password, host and port. */
function readAddress(text: string, ...schemes: readonly string[]) {
  const [, scheme = "", authority = "", rest = ""] =
    /^([^:]*:\/\/)(?=.)([^/?#]*)(.*)$/s.exec(text) ?? []
  if (!schemes.includes(scheme)) throw new Error(`must begin with ${schemes.join(" or ")}`)
  if (/\s/.test(text)) throw new Error("must not contain white space")
  if (/[#@]/.test(rest)) {
    throw new Error("must have #, / and ? in its user or password written as %23, %2F and %3F")
  }
  try {
    decodeURIComponent(authority)
  } catch {
    throw new Error("must have a % in its user or password written as %25")
  }
  if (/@.*,|^[^@]*,[^@]*$/.test(authority)) throw new Error(oneHost)
  const url = URL.parse(text)
  if (!url || url.port === "0") throw new Error(invalidHost)
  return { url, authority }
}

/** As PostgreSQL's own clients have them. The driver would take any other for verify-full. */
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/**
 * `postgres://user:password@host:port/database?name=value`, where all but the scheme may be left out. Of
 * several hosts the driver takes a standby for the primary, or waits without end.
 * @throws Error that says what is expected
 */
export function checkPostgresAddress(text: string): void {
  const { url, authority } = readAddress(text, "postgres://", "postgresql://")
  const host = authority.slice(authority.lastIndexOf("@") + 1)
  if (host.startsWith("[")) throw new Error("must name its host, not an IPv6 address")
  if (!/^[\w.-]*(:\d*)?$/.test(host)) throw new Error(invalidHost)
  if (!url.searchParams.getAll("sslmode").every((mode) => sslModes.includes(mode))) {
    throw new Error(`must have one of ${sslModes.join(", ")} as sslmode`)
  }
}

/** `redis://user:password@host:port/database`. @throws Error that says what is expected */
export function checkRedisAddress(text: string): void {
  const { url } = readAddress(text, "redis://", "rediss://", "valkey://", "valkeys://")
  if (url.hostname === "") throw new Error(invalidHost)
  if (!/^\/?\d*$/.test(url.pathname)) throw new Error("must end in the number of a database, as /0")
}

/** `smtp://user:password@host:587`. @throws Error that says what is expected */
export function checkSmtpAddress(text: string): void {
  const { hostname, pathname, search } = readAddress(text, "smtp://", "smtps://").url
  if (hostname === "") throw new Error(invalidHost)
  if (!/^\/?$/.test(pathname) || search !== "") throw new Error("must end after its host and port")
}

/** @throws Error that says what is expected */
export function checkBaseAddress(text: string): void {
  if (!URL.canParse(text) || !/^https?:$/.test(new URL(text).protocol)) {
    throw new Error("must be an http or https address")
  }
  const { username, password, search, hash } = new URL(text)
  if (username || password) throw new Error("must not contain a user or password: it is shown")
  if (search || hash) throw new Error("must not contain a query or a fragment")
}

/** The address of a service on this machine that listens on a host and a port. */
export function localAddress(host: string, port: number): string {
  const name = host === "0.0.0.0" ? "localhost" : host
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`
}
