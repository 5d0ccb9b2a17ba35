/**
 * Limits requests for one-time links by client address, in a quarter of an hour, so that one client cannot send mail
 * to many people. (The links of an account have a limit of their own: see `sign-in-links.ts`.)
 */
import { minuteMs } from "../../system/text/time.ts"
import { LimitReached, validMinutes } from "./sign-in-links.ts"
import { bucketKeys, createWindow, type WindowsOptions } from "./windows.ts"

/** Counts a request for a link. @throws LimitReached */
export type LimitLinks = (address: string) => Promise<void>

const linksPerAddress = 20
/** Room for 18,000 addresses. */
const maxBytes = 8 * 1024 * 1024
/** They bound the memory of Redis. */
const addressBuckets = 16_384

export function createLinkLimits(options: Omit<WindowsOptions, "windowMs">): LimitLinks {
  const addresses = createWindow({
    ...options,
    windowMs: validMinutes * minuteMs,
    maxBytes,
    redisKeyOf: bucketKeys("link-address", addressBuckets, options.secret),
  })
  return async (address) => {
    const { admitted, resetAtMs } = await addresses.admit(address, linksPerAddress)
    if (!admitted) throw new LimitReached(new Date(resetAtMs), options.now())
  }
}
