/**
 * A body has a content coding only if `Accept-Encoding` accepts it (RFC 9110, section 12.5.3) and
 * the body is large enough to gain by it.
 */
import { expect, test } from "bun:test"
import { gunzipSync } from "node:zlib"
import { acceptsGzip, encodeText, streamCoder } from "../../src/http/content-coding.ts"

test.each([
  [null, false],
  ["", false],
  ["gzip", true],
  ["GZIP", true],
  ["x-gzip", true],
  ["br, gzip;q=0.1", true],
  ["gzip;q=0", false],
  ["gzip; q = 0.000, *", false],
  ["*", true],
  ["*;q=0", false],
  ["identity, br, zstd", false],
  ["gzip;q=nonsense", false],
  [",,;", false],
])("Accept-Encoding: %s allows gzip: %p", (accepted, allowed) => {
  expect(acceptsGzip(accepted)).toBe(allowed)
})

test("a small body is sent as it is, a larger one coded for who accepts it", () => {
  const large = "é".repeat(5_000)
  expect(encodeText("small", "gzip")).toEqual({ body: "small", headers: {} })
  expect(encodeText(large, null)).toEqual({ body: large, headers: {} })
  const { body, headers } = encodeText(large, "gzip")
  expect(headers).toEqual({ "Content-Encoding": "gzip" })
  expect(gunzipSync(body as Uint8Array).toString()).toBe(large)
})

test.each(["gzip", null])(
  "a stream's parts are its text together (Accept-Encoding: %s)",
  async (accepted) => {
    const coder = streamCoder(accepted)
    const parts = ["head\r\n", "", "é".repeat(100_000), "last"]
    const coded: Uint8Array[] = []
    for (const part of parts) coded.push(await coder.code(part))
    coded.push(await coder.end())
    const bytes = Buffer.concat(coded)
    expect((accepted ? gunzipSync(bytes) : bytes).toString()).toBe(parts.join(""))
  },
)
