/** Tells a response that has the data from one that says why it has not. */
import { foreignText } from "../loading/reading/foreign-formats.ts"
import { FetchError } from "./fetch-error.ts"
import type { Response } from "./request.ts"
import { retryAfterMs } from "./retries.ts"

const temporary = [408, 425, 429, 500, 502, 503, 504]

/** Closes the response. @param message of the service, quoted */
export function statusError(
  { url, status, headers, close }: Response,
  message?: string,
): FetchError {
  close()
  const wait = retryAfterMs(headers["retry-after"], Date.now())
  const isSignIn = [401, 403, 407, 511].includes(status)
  const told = message === undefined ? "" : `, ${message}`
  const reason = `it answers ${status}${told}${isSignIn ? ", so it wants a sign-in" : ""}`
  return new FetchError(url, reason, {
    isTemporary: temporary.includes(status),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  })
}

/**
 * Whether the body is compressed for its transfer.
 * @throws FetchError where it is by another method than the one that was offered
 */
export function isGzipped({ url, headers, close }: Response): boolean {
  const coding = (headers["content-encoding"] ?? "identity").trim().toLowerCase()
  if (coding === "gzip" || coding === "x-gzip") return true
  if (coding === "identity" || coding === "") return false
  close()
  throw new FetchError(url, `it is encoded as ${coding}, although only gzip is accepted`)
}

/** How much of a file `checkNoPage` looks at. */
export const checkedBytes = 16_384

/**
 * A sign-in page, or one that excuses the service, is often sent with status 200.
 * @param start of the file, decompressed
 * @throws FetchError where it is a web page
 */
export function checkNoPage(url: URL, start: Uint8Array): void {
  const foreign = foreignText(new TextDecoder().decode(start))
  if (foreign?.startsWith("it is a web page")) throw new FetchError(url, foreign)
}
