/** Tokens carry 256 random bits, and accidental damage of a token is detected without the database. */
import { expect, test } from "bun:test"
import { createToken, isWellFormed, prefixOf } from "../../../src/accounts/access/secret.ts"

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const fromBytes = (...bytes: number[]) =>
  createToken(Uint8Array.from([...new Array<number>(32 - bytes.length).fill(0), ...bytes]))

/** The secret of a token as 64 hex digits, read without the code under test. */
function secretOf(token: string): string {
  let value = 0n
  for (const digit of token.slice(4, 47)) value = value * 62n + BigInt(alphabet.indexOf(digit))
  return value.toString(16).padStart(64, "0")
}

test("A created token has every one of 256 random bits, and is well formed", () => {
  const tokens = Array.from({ length: 500 }, () => {
    const bytes = crypto.getRandomValues(new Uint8Array(32))
    const token = createToken(bytes)
    expect([secretOf(token), isWellFormed(token)]).toEqual([bytes.toHex(), true])
    return token
  })
  expect(new Set([...tokens, ...tokens.map(() => createToken())]).size).toBe(1_000)
  for (const token of [fromBytes(0), fromBytes(...new Array<number>(32).fill(0xff))]) {
    expect([token.length, isWellFormed(token)]).toEqual([53, true])
  }
})

test("A token keeps its form in every version; lists show its first 12 characters", () => {
  const token = fromBytes(1)
  expect(token).toBe("mds_00000000000000000000000000000000000000000011BH8FP")
  expect(prefixOf(token)).toBe("mds_00000000")
})

const token = fromBytes(...Array.from({ length: 32 }, (_, index) => index * 7 + 3))

test("The checksum detects every wrong character, swapped pair, and missing or added end", () => {
  for (let index = 0; index < token.length; index++) {
    for (const wrong of alphabet) {
      const changed = token.slice(0, index) + wrong + token.slice(index + 1)
      expect(isWellFormed(changed)).toBe(changed === token)
    }
    const pair = token.charAt(index + 1) + token.charAt(index)
    const swapped = token.slice(0, index) + pair + token.slice(index + 2)
    expect(isWellFormed(swapped)).toBe(swapped === token)
    expect(isWellFormed(token.slice(0, index))).toBe(false)
  }
  expect([isWellFormed(`${token}0`), isWellFormed(token + token)]).toEqual([false, false])
})

test.each([
  ["nothing", ""],
  ["a space before", ` ${token}`],
  ["a line break after", `${token}\n`],
  ["a NUL within", `${token.slice(0, 20)}\0${token.slice(21)}`],
  ["another case of the mark", `MDS_${token.slice(4)}`],
  ["letters beyond ASCII", `mds_${"é".repeat(49)}`],
  ["half of a surrogate pair", `mds_${"\ud800".repeat(49)}`],
  ["digits of another script", `mds_${"٣".repeat(49)}`],
  ["ten million characters", "mds_".padEnd(10_000_000, "a")],
])("%s is rejected as a token without an exception", (_, text) => {
  expect(isWellFormed(text)).toBe(false)
})
