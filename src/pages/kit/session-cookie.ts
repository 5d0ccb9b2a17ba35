/**
 * The cookie of a session. The prefix `__Host-` makes browsers accept it only with Secure, for this host
 * alone and for every path (RFC 6265bis, 4.1.3.2). They keep a Secure cookie over HTTPS, and on localhost.
 */
const name = "__Host-session"
const attributes = "Path=/; Secure; HttpOnly; SameSite=Lax"

export const sessionCookie = {
  /** The value that the client sent; null where it sent none. */
  read: ({ headers }: Pick<Request, "headers">): string | null => {
    const sent = headers.get("cookie")
    return sent?.includes(name) ? new Bun.CookieMap(sent).get(name) : null
  },
  /** Headers that set it. @param maxAgeSeconds until its absolute end */
  set: (value: string, maxAgeSeconds: number): Record<string, string> => ({
    "Set-Cookie": `${name}=${value}; Max-Age=${maxAgeSeconds}; ${attributes}`,
  }),
  clear: (): Record<string, string> => ({ "Set-Cookie": `${name}=; Max-Age=0; ${attributes}` }),
}
