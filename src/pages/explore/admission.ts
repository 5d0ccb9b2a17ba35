/**
 * Pages of the explorer count within the account's window, as requests to the API do. Results that follow
 * what a person types do not; they have a window of their own, of the same size, beyond which they count.
 */
import type { SignedIn } from "../../access/sessions.ts"
import type { Usage } from "../../access/usage.ts"
import type { Windows } from "../../access/windows.ts"
import { withoutToken } from "../../db/account-tables.ts"
import { toHeaders, toResetSeconds, type WindowState } from "../../http/rate-limit-headers.ts"
import { number, relative } from "../kit/format.ts"
import { PageError } from "../kit/page-error.ts"

export interface AdmissionOptions {
  windows: Windows
  usage: Usage
  now: () => Date
}

/** Sent by the script of the explorer, for results while a person types. */
export const isTypeAhead = ({ headers }: Request): boolean => headers.get("x-type-ahead") === "true"

/**
 * Counts one request of the person's account, unless it is type-ahead.
 * @throws PageError 429 where the account's window is used up
 */
export async function admit(
  { windows, usage, now }: AdmissionOptions,
  { accountId, limit }: Pick<SignedIn, "accountId" | "limit">,
  typeAhead = false,
): Promise<void> {
  const { accounts, windowMs } = windows
  const key = String(accountId)
  const isFree = typeAhead && (await accounts.admit(`type-ahead:${key}`, limit)).admitted
  const window = await (isFree ? accounts.peek(key, limit) : accounts.admit(key, limit))
  if (!window.admitted) throw usedUp(window, windowMs, now().getTime())
  if (!isFree) usage.count({ accountId, tokenId: withoutToken }, now())
}

function usedUp(window: WindowState, windowMs: number, nowMs: number): PageError {
  const { "Retry-After": retryAfter = "1" } = toHeaders(window, windowMs, nowMs)
  const freeMs = toResetSeconds(window.resetAtMs) * 1000
  const at = new Date(freeMs).toISOString().slice(11, 19)
  return new PageError(
    429,
    "Your requests are used up",
    `Your account may make ${number(window.limit)} requests within an hour, by these pages and by your programs together. The next one is free at ${at} UTC, ${relative(freeMs, nowMs)}: open this page again then.`,
    { "Retry-After": retryAfter },
  )
}
