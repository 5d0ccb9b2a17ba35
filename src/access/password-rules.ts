/**
 * Rules for passwords. Attackers guess common passwords first, and the limit of ten guesses in a quarter of
 * an hour is enough for the most common ones.
 */
import { fold } from "../text/fold.ts"

export const minLength = 12
export const maxLength = 200
/** Normalisation can expand one character to eighteen. */
const maxBytes = 4_000

/** A password with fewer different characters is little more than one repeated character. */
const minDifferent = 5
/** A repeated text of at most this length is as weak as the text itself. */
const maxRepeated = 11
/** Longer than the longest password. */
const lineLength = 400

/** Common sequences: digits, letters, the rows and the columns of a keyboard. */
const lines = [
  "1234567890",
  "0123456789",
  "abcdefghijklmnopqrstuvwxyz",
  "qwertyuiopasdfghjklzxcvbnm",
  "qwertzuiopasdfghjklyxcvbnm",
  "azertyuiopqsdfghjklmwxcvbn",
  "1qaz2wsx3edc4rfv5tgb6yhn7ujm",
  "1q2w3e4r5t6y7u8i9o0p",
  "qawsedrftgyhujik",
].flatMap((line) => {
  const long = line.repeat(Math.ceil(lineLength / line.length))
  return [long, [...long].reverse().join("")]
})

/** Common with any digits and signs before, between and after. */
const words = new Set([
  "a",
  "abc",
  "abcd",
  "abcdef",
  "admin",
  "administrator",
  "changeme",
  "iloveyou",
  "letmein",
  "login",
  "mds",
  "mining",
  "miningandgeologicaldata",
  "mininganddata",
  "miningdata",
  "mininggeologicaldata",
  "password",
  "passwort",
  "qwe",
  "qwer",
  "qwerty",
  "qwertyuiop",
  "secret",
  "welcome",
])

/** The same characters can be typed in several ways (NIST SP 800-63B, 3.1.1.2). */
export const normalised = (password: string): string => password.normalize("NFKC")

export const isWithinBounds = (password: string): boolean =>
  // A character has at most two code units. The length is checked first, because a body can be large.
  password.length <= 2 * maxLength &&
  [...password].length <= maxLength &&
  Buffer.byteLength(normalised(password)) <= maxBytes

/** The reason why a new password is rejected, as a sentence for the person; null if it is accepted. */
export function passwordFault(password: string, email: string): string | null {
  if ([...password].length < minLength) return `Use at least ${minLength} characters`
  if (!isWithinBounds(password)) return `Use at most ${maxLength} characters`
  if (fold(password) === fold(email)) return "Use something other than your email address"
  if (isCommon(password)) {
    return "This is easy to guess, because many people use it or it repeats itself. Use a few random words"
  }
  return null
}

function isCommon(password: string): boolean {
  const folded = fold(password)
  if (new Set(folded).size < minDifferent) return true
  const [, repeated = folded] = /^(.+?)\1+$/su.exec(folded) ?? []
  if (repeated !== folded && [...repeated].length <= maxRepeated) return true
  const typed = folded.replace(/[^\p{L}\p{N}]/gu, "")
  if (typed !== "" && lines.some((line) => line.includes(typed))) return true
  const spelled = folded
    .replace(/@/g, "a")
    .replace(/\$/g, "s")
    .replace(/(?<=\p{L})0(?=\p{L})/gu, "o")
  return [folded, spelled].some((text) => words.has(text.replace(/[^\p{L}]/gu, "")))
}
