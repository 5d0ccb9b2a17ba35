/** Tokens carry 256 random bits, and accidental damage of a token is detected without the database. */
import { describe, expect, test } from "bun:test"
import { createToken, hashToken, isWellFormed, prefixOf } from "../../src/access/token.ts"

const ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

const fromBytes = (...bytes: number[]) =>
  createToken((target) => target.set(bytes, 32 - bytes.length))

/** The secret of a token as 64 hex digits, read without the code under test. */
function secretOf(token: string): string {
  let value = 0n
  for (const digit of token.slice(4, 47)) value = value * 62n + BigInt(ALPHABET.indexOf(digit))
  return value.toString(16).padStart(64, "0")
}

describe("a created token", () => {
  test("is mds_, 43 characters of secret and 6 of checksum, and is well formed", () => {
    for (let round = 0; round < 500; round++) {
      const token = createToken()
      expect(token).toMatch(/^mds_[0-9A-Za-z]{49}$/)
      expect(isWellFormed(token)).toBe(true)
    }
  })

  test("is never the same twice", () => {
    expect(new Set(Array.from({ length: 500 }, () => createToken())).size).toBe(500)
  })

  test("contains every one of the 256 random bits", () => {
    for (let round = 0; round < 200; round++) {
      const bytes = crypto.getRandomValues(new Uint8Array(32))
      expect(secretOf(createToken((target) => target.set(bytes)))).toBe(bytes.toHex())
    }
  })

  test("has the same length for the smallest and the largest secret", () => {
    const smallest = fromBytes(0)
    const largest = fromBytes(...new Array<number>(32).fill(0xff))
    expect(smallest.slice(0, 47)).toBe(`mds_${"0".repeat(43)}`)
    expect(secretOf(largest)).toBe("f".repeat(64))
    expect([smallest.length, largest.length]).toEqual([53, 53])
    expect([isWellFormed(smallest), isWellFormed(largest)]).toEqual([true, true])
  })

  test("has the same form in every version of the service", () => {
    expect(fromBytes(1)).toBe("mds_00000000000000000000000000000000000000000011BH8FP")
  })
})

describe("isWellFormed", () => {
  const token = fromBytes(...Array.from({ length: 32 }, (_, index) => index * 7 + 3))

  test("detects every wrong character", () => {
    for (let index = 0; index < token.length; index++) {
      for (const wrong of ALPHABET) {
        if (wrong === token[index]) continue
        expect(isWellFormed(token.slice(0, index) + wrong + token.slice(index + 1))).toBe(false)
      }
    }
  })

  test("detects every swapped pair of neighbouring characters", () => {
    for (let index = 0; index + 1 < token.length; index++) {
      const swapped =
        token.slice(0, index) +
        token.charAt(index + 1) +
        token.charAt(index) +
        token.slice(index + 2)
      expect(isWellFormed(swapped)).toBe(swapped === token)
    }
  })

  test("detects a token that is cut short or too long", () => {
    for (let length = 0; length < token.length; length++) {
      expect(isWellFormed(token.slice(0, length))).toBe(false)
    }
    expect(isWellFormed(`${token}0`)).toBe(false)
    expect(isWellFormed(token + token)).toBe(false)
  })

  test.each([
    ["nothing", ""],
    ["the mark alone", "mds_"],
    ["a space before", ` ${token}`],
    ["a space after", `${token} `],
    ["a line break after", `${token}\n`],
    ["a NUL within", `${token.slice(0, 20)}\0${token.slice(21)}`],
    ["another case of the mark", `MDS_${token.slice(4)}`],
    ["letters beyond ASCII", `mds_${"é".repeat(49)}`],
    ["half of a surrogate pair", `mds_${"\ud800".repeat(49)}`],
    ["digits of another script", `mds_${"٣".repeat(49)}`],
    ["ten million characters", "mds_".padEnd(10_000_000, "a")],
  ])("refuses %s and throws nothing", (_, text) => {
    expect(isWellFormed(text)).toBe(false)
  })
})

test("a token is stored as the SHA-256 of its text, in hex", () => {
  expect(hashToken("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
})

test("a token is shown by `mds_` and eight characters of its secret", () => {
  const token = createToken()
  expect(prefixOf(token)).toBe(token.slice(0, 12))
  expect(prefixOf(token)).toMatch(/^mds_[0-9A-Za-z]{8}$/)
})
