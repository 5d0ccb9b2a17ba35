import type { Elysia } from "elysia"

/** What a proxy adds (RFC 7239; RFC 9110, 7.6.3), unless it was told not to. */
const ofProxies = ["x-forwarded-for", "forwarded", "via"]

const loopback = /^(?:::ffff:)?127\.|^::1$/

/**
 * Whether a request comes from a program on this machine. By the address of its socket, which no client
 * can choose. A proxy on this machine has such an address too, so what has passed one is not local,
 * whatever it says of where it came from.
 */
export const isLocal = (request: Request, server: Elysia["server"]): boolean =>
  loopback.test(server?.requestIP(request)?.address ?? "") &&
  !ofProxies.some((name) => request.headers.has(name))
