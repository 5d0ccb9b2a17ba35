/** Readers decompress to the same bytes. */
import { expect, test } from "bun:test"
import { snappyUncompress } from "hyparquet"
import { snappyCompress } from "../../src/http/snappy.ts"
import { seededIntegers } from "../support/seeded.ts"

function compressedSize(bytes: Uint8Array): number {
  const compressed = snappyCompress(bytes)
  const read = new Uint8Array(bytes.length)
  snappyUncompress(compressed, read)
  expect(Buffer.compare(read, bytes)).toBe(0)
  return compressed.length
}

test("bytes of every size and likeness come back", () => {
  const below = seededIntegers(1)
  const sizes = [0, 1, 2, 3, 4, 5, 59, 60, 61, 62, 255, 256, 257, 65_535, 65_536, 65_540, 200_000]
  for (const size of sizes) {
    for (const values of [1, 2, 5, 256]) {
      compressedSize(Uint8Array.from({ length: size }, () => below(values)))
    }
  }
})

test("a copy from more than 64 KB before is not written", () => {
  const below = seededIntegers(2)
  const random = Uint8Array.from({ length: 70_000 }, () => below(256))
  compressedSize(Buffer.concat([random, random]))
})

test("repeated text takes a twentieth of its size", () => {
  const text = Buffer.from("EXAMPLE GOLD PTY LTD; ".repeat(10_000))
  expect(compressedSize(text)).toBeLessThan(text.length / 20)
})
