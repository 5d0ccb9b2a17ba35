/**
 * Limits requests for one-time links, in a quarter of an hour: by client address, so that one client cannot
 * send mail to many people, and by account, so that many clients cannot flood one mailbox. An account is the
 * typed address, whether it exists or not, so that a limit reveals nothing about it. Nobody is locked out by
 * the requests of others, because each of the mailed links stays valid as long as its request counts.
 */
import type { WindowState } from "../../api/http/rate-limit-headers.ts"
import { digest } from "../../system/text/digest.ts"
import { fold } from "../../system/text/fold.ts"
import { minuteMs } from "../../system/text/time.ts"
import { validMinutes } from "./sign-in-links.ts"
import { bucketKeys, createWindow, type StoreOptions, type WindowsOptions } from "./windows.ts"

/** The limit of an account or an address is reached. */
export class LimitReached extends Error {
  override readonly name = "LimitReached"

  /** @param until when the next request is admitted */
  constructor(
    readonly until: Date,
    readonly retryAfterSeconds: number,
  ) {
    super("Too many requests for links")
  }
}

/** Counts a request for a link. @throws LimitReached */
export type LimitLinks = (email: string, address: string) => Promise<void>

const linksPerAccount = 5
const linksPerAddress = 20
/** Room for 18,000 accounts or addresses. */
const maxBytes = 8 * 1024 * 1024
/**
 * In Redis. They bound its memory: each admits 20 requests, so at most 327,680 accounts, known or invented,
 * have a window of 280 bytes. Accounts share no buckets, or somebody could use up the window of another.
 */
const addressBuckets = 16_384

export function createLinkLimits(options: Omit<WindowsOptions, "windowMs">): LimitLinks {
  const window = (redisKeyOf: StoreOptions["redisKeyOf"]) =>
    createWindow({ ...options, windowMs: validMinutes * minuteMs, maxBytes, redisKeyOf })
  const addresses = window(bucketKeys("link-address", addressBuckets, options.secret))
  const accounts = window((account) => `mds:window:link:${account}`)

  function requireAdmitted({ admitted, resetAtMs }: WindowState): void {
    if (admitted) return
    const seconds = Math.ceil((resetAtMs - options.now().getTime()) / 1000)
    throw new LimitReached(new Date(resetAtMs), Math.max(1, seconds))
  }

  // A client beyond its limit uses up no account's requests.
  return async (email, address) => {
    requireAdmitted(await addresses.admit(address, linksPerAddress))
    requireAdmitted(await accounts.admit(digest(fold(email)), linksPerAccount))
  }
}
