/** Pages of the explorer count within the account's window, as requests to the API do. */
import type { SignedIn } from "../../../access/sessions.ts"
import type { Usage } from "../../../access/usage.ts"
import type { WindowState } from "../../../access/window/sliding-window.ts"
import type { Windows } from "../../../access/windows.ts"
import { withoutToken } from "../../../db/account-tables.ts"
import { toHeaders, toResetSeconds } from "../../../http/rate-limit-headers.ts"
import { number, relative } from "../../kit/format.ts"
import { PageError } from "../../kit/page-error.ts"

export interface AdmissionOptions {
  windows: Windows
  usage: Usage
  now: () => Date
}

/** Counts one request of the person's account. @throws PageError 429 where its window is used up */
export async function admit(
  { windows, usage, now }: AdmissionOptions,
  { accountId, limit }: Pick<SignedIn, "accountId" | "limit">,
): Promise<void> {
  const window = await windows.accounts.admit(String(accountId), limit)
  if (!window.admitted) throw usedUp(window, windows.windowMs, now().getTime())
  usage.count(accountId, withoutToken, now())
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
