/**
 * A body has a content coding only if `Accept-Encoding` accepts it (RFC 9110, section 12.5.3) and
 * the body is large enough to gain by it.
 */
import { expect, test } from "bun:test"
import { gunzipSync } from "node:zlib"
import {
  codedBody,
  encodeBody,
  encodeLarge,
  gzipped,
} from "../../../src/api/http/content-coding.ts"
import { preferredCoding } from "../../../src/api/http/negotiation.ts"

test.each([
  [null, null],
  ["", null],
  ["gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["br, gzip;q=0.1", "gzip"],
  ["gzip;q=0", null],
  ["gzip; q = 0.000, *", null],
  ["*", "gzip"],
  ["*;q=0", null],
  ["identity, br", null],
  ["gzip;q=nonsense", null],
  ["gzip;q=2", null],
  [",,;", null],
  ["gzip, deflate, br, zstd", "zstd"],
  ["zstd;q=0.5, gzip", "gzip"],
  ["zstd;q=0, *", "gzip"],
  ["identity, zstd", "zstd"],
] as const)("Accept-Encoding: %s prefers %p", (accepted, coding) => {
  expect(preferredCoding(accepted, ["zstd", "gzip"])).toBe(coding)
})

test("Only larger bodies are compressed, for clients that accept it", () => {
  const small = codedBody("small")
  expect(encodeBody(small, "gzip")).toEqual({ bytes: small.bytes, coding: null })
  const text = "é".repeat(5_000)
  const large = codedBody(text)
  expect(encodeBody(large, null)).toEqual({ bytes: large.bytes, coding: null })
  const gzip = encodeBody(large, "gzip")
  expect([gzip.coding, gunzipSync(gzip.bytes).toString()]).toEqual(["gzip", text])
  const zstd = encodeBody(large, "gzip, zstd")
  expect([zstd.coding, Bun.zstdDecompressSync(zstd.bytes).toString()]).toEqual(["zstd", text])
})

test("A body is coded once for each coding", () => {
  const body = codedBody("é".repeat(5_000))
  const first = encodeBody(body, "gzip").bytes
  expect(encodeBody(body, "x-gzip").bytes).toBe(first)
  expect(encodeBody(body, "zstd").bytes).not.toBe(first)
})

test.each(["gzip", "zstd"] as const)(
  "A body of more than 1 MB is coded while other requests are served (%s)",
  async (coding) => {
    const text = "é1".repeat(1_000_000)
    const body = codedBody(text)
    const coded = encodeLarge(body, coding)
    expect(body.coded).toEqual({})
    const { bytes } = await coded
    expect(Object.keys(body.coded ?? {})).toEqual([coding])
    const decoded = coding === "gzip" ? gunzipSync(bytes) : Bun.zstdDecompressSync(bytes)
    expect(decoded.toString()).toBe(text)
  },
)

test("The coded parts of a stream are its whole text", async () => {
  const parts = ["head\r\n", "", "é".repeat(100_000), "last"]
  async function* encoded() {
    for (const part of parts) yield new TextEncoder().encode(part)
  }
  const coded = await Array.fromAsync(gzipped(encoded()))
  expect(gunzipSync(Buffer.concat(coded)).toString()).toBe(parts.join(""))
})
