/** Secrets of API tokens, sessions and one-time links. */
import { crc32 } from "node:zlib"

/** Random bytes in base64url. */
export const randomText = (bytes: number): string =>
  crypto
    .getRandomValues(new Uint8Array(bytes))
    .toBase64({ alphabet: "base64url", omitPadding: true })

/**
 * SHA-256, as 64 lower-case hex digits: the only form in which a secret is stored. A salt or a slow hash
 * would add nothing, since 256 random bits can be neither enumerated nor guessed. The timing of a lookup
 * by hash reveals nothing that helps to find a secret.
 */
export const hashSecret = (secret: string): string => Bun.CryptoHasher.hash("sha256", secret, "hex")

/**
 * API tokens: `mds_`, 43 base62 characters of secret, 6 base62 characters of checksum.
 *
 * The secret is one number of exactly 256 random bits, written in base 62 with leading zeros;
 * 62^43 is just above 2^256, so 43 characters always hold it and no bit is lost or biased.
 *
 * The checksum is the CRC-32 of all that precedes it; 62^6 is above 2^32, so it always fits. It
 * detects accidents: every change within 32 neighbouring bits, so every wrong character and every
 * swapped pair, and all but one in 2^32 of other errors, such as a token cut short in pasting.
 * Secret scanners can tell a real token from text that resembles one. It does not protect against
 * forgery, and need not be one: a forger has to guess the 256 bits.
 */

const prefix = "mds_"
const secretLength = 43
const checksumLength = 6
const checksumStart = prefix.length + secretLength
export const tokenLength = checksumStart + checksumLength
const shownLength = 12

const shape = /^mds_[0-9A-Za-z]{49}$/
const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A new token. @param bytes the 256 bits of its secret, by default from the system's secure source */
export function createToken(bytes = crypto.getRandomValues(new Uint8Array(32))): string {
  const unsigned = prefix + base62(BigInt(`0x${bytes.toHex()}`), secretLength)
  return unsigned + checksumOf(unsigned)
}

/**
 * Whether `text` has the form of a token. Takes any string, of any length. A malformed token was never
 * issued, so the service rejects it without a query.
 */
export function isWellFormed(text: string): boolean {
  return shape.test(text) && checksumOf(text.slice(0, checksumStart)) === text.slice(checksumStart)
}

/**
 * The first 12 characters, `mds_` and 8 of the secret, which identify a token in lists and commands. They
 * reveal 47 of the 256 bits; the rest is more than enough.
 */
export function prefixOf(token: string): string {
  return token.slice(0, shownLength)
}

function checksumOf(unsigned: string): string {
  return base62(BigInt(crc32(unsigned)), checksumLength)
}

/** `value` in base 62, most significant digit first, with leading zeros up to `width`. */
function base62(value: bigint, width: number): string {
  let text = ""
  for (let rest = value; rest > 0n; rest /= 62n) text = digits.charAt(Number(rest % 62n)) + text
  return text.padStart(width, "0")
}
