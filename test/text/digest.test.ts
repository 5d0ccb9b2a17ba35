/** A digest is the same in every process and version, as keys in Redis and entity tags must be. */
import { expect, test } from "bun:test"
import { digest } from "../../src/text/digest.ts"

test("a digest has one size, and the value that SHA-256 gives everywhere", () => {
  expect(digest("")).toBe("47DEQpj8HBSa-_TImW-5JC")
  expect(digest("x".repeat(15_000))).toHaveLength(22)
  expect(digest("a")).not.toBe(digest("b"))
})
