/**
 * Checks the URLs in the settings by the parsing rules of their drivers. An unescaped character in a password
 * can make a part of the password a host, a port or a path. So the checks reject ambiguous URLs, and no
 * message repeats any part of one.
 */

const invalidHost = "has an invalid host or port; write @ and , in a password as %40 and %2C"
const oneHost =
  "must have one host; where a database has several, give the address of its primary, and write @ and , in a password as %40 and %2C"

/** Parses the URL of one host. `authority` has user, password, host and port as text. */
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

/** The modes of PostgreSQL's own clients. The driver treats any other as verify-full. */
const sslModes = ["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]

/**
 * Checks `postgres://user:password@host:port/database?name=value`; only the scheme is required. With several
 * hosts the driver mistakes a standby for the primary, or waits forever.
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

/** Checks `redis://user:password@host:port/database`. @throws Error that says what is expected */
export function checkRedisAddress(text: string): void {
  const { url } = readAddress(text, "redis://", "rediss://", "valkey://", "valkeys://")
  if (url.hostname === "") throw new Error(invalidHost)
  if (!/^\/?\d*$/.test(url.pathname)) throw new Error("must end in the number of a database, as /0")
}

/** Checks `smtp://user:password@host:587`. @throws Error that says what is expected */
export const checkSmtpAddress = (text: string): void => checkOnlyHost(text, "smtp://", "smtps://")

/** Checks `http://user:password@host:3128`. @throws Error that says what is expected */
export const checkProxyAddress = (text: string): void => checkOnlyHost(text, "http://", "https://")

function checkOnlyHost(text: string, ...schemes: readonly string[]): void {
  const { hostname, pathname, search } = readAddress(text, ...schemes).url
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

/** @throws Error that says what is expected */
export function checkTilesAddress(text: string): void {
  if (!/^https?:\/\/[\w.-]+(:\d+)?\/(?=.*\{z\})(?=.*\{x\})(?=.*\{y\})/.test(text)) {
    throw new Error("must be an http or https address of one host, with {z}, {x} and {y}")
  }
}

/** Returns the URL of a service on this machine. */
export function localAddress(host: string, port: number): string {
  const name = host === "0.0.0.0" ? "localhost" : host
  return `http://${name.includes(":") ? `[${name}]` : name}:${port}`
}
