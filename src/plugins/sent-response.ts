import { cacheStatus } from "../answers/representation.ts"

/** What the log has of a response. Its headers are read before it is sent, since Bun then takes some. */
export interface SentResponse {
  status: number
  /** Of its body. A stream has no length: the line of an export's end has its bytes. */
  bytes?: number | undefined
  release?: number | undefined
  cache?: string | undefined
}

/** In place of a response that the app did not make. */
export const unsent: SentResponse = { status: 500 }

export function sentResponse({ method }: Request, { status, headers }: Response): SentResponse {
  const isBodiless = method === "HEAD" || status === 204 || status === 304
  return {
    status,
    bytes: isBodiless ? 0 : numberOf(headers.get("content-length")),
    release: numberOf(headers.get("x-data-release")),
    cache: cacheResult(status, headers.get("cache-status")),
  }
}

const numberOf = (header: string | null): number | undefined =>
  header === null ? undefined : Number(header)

/** By `Cache-Status`. */
const cacheResults: Record<string, string> = {
  [cacheStatus.hit]: "hit",
  [cacheStatus.miss]: "miss",
  [cacheStatus.bypass]: "bypass",
}

/** `revalidated` where the client's own copy was current. */
function cacheResult(status: number, header: string | null): string | undefined {
  if (status === 304) return "revalidated"
  return header === null ? undefined : cacheResults[header]
}
