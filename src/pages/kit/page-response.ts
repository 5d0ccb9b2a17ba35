/** Pages as responses. */
import { codedBody, encodedResponse } from "../../http/content-coding.ts"
import type { Html } from "./html.ts"

const pageHeaders = {
  "Content-Type": "text/html; charset=utf-8",
  // With no-referrer, browsers would send `Origin: null` with forms.
  "Referrer-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  Vary: "Cookie, Accept-Encoding",
} as const

export interface PageResponseOptions {
  status?: number | undefined
  headers?: Readonly<Record<string, string>> | undefined
}

/** @param cacheControl `no-store` for what is only for one person */
export const pageResponse = (
  request: Pick<Request, "headers">,
  page: Html,
  cacheControl: "no-store" | "private, no-cache",
  { status = 200, headers }: PageResponseOptions = {},
): Response =>
  encodedResponse(request, codedBody(page.text), {
    status,
    headers: { ...pageHeaders, "Cache-Control": cacheControl, ...headers },
  })

/** To another page of ours, which is then asked for by GET. */
export const redirect = (
  location: string,
  headers: Readonly<Record<string, string>> = {},
): Response =>
  new Response(null, {
    status: 303,
    headers: { Location: location, "Cache-Control": "no-store", Vary: "Cookie", ...headers },
  })
