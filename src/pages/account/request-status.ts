/** Statuses of requests in words. */
import { status, type Tone } from "../kit/components.ts"
import type { Html } from "../kit/html.ts"

const words: Readonly<Record<number, string>> = {
  200: "OK",
  304: "not modified",
  400: "invalid parameter",
  401: "no valid token",
  404: "not found",
  405: "method not allowed",
  429: "limit reached",
  500: "failed here",
  503: "unavailable",
}

export const classes = [
  { name: "", label: "All", least: 0 },
  { name: "2xx", label: "Answered", least: 200 },
  { name: "4xx", label: "Refused", least: 400 },
  { name: "5xx", label: "Failed", least: 500 },
] as const

export type StatusClass = (typeof classes)[number]["name"]

/** Redirects and 304 are answers. */
export const classOf = (code: number): StatusClass =>
  code >= 500 ? "5xx" : code >= 400 ? "4xx" : "2xx"

const tones: Readonly<Record<StatusClass, Tone>> = {
  "": "neutral",
  "2xx": "good",
  "4xx": "waiting",
  "5xx": "bad",
}

/** `429 limit reached` */
export const statusInWords = (code: number): Html =>
  status([code, words[code]].filter(Boolean).join(" "), tones[classOf(code)])
