/** Where a client says to go next is a path of this service or nothing. */
import { expect, test } from "bun:test"
import { localPath } from "../../../src/system/text/local-path.ts"

test.each([
  ["/account", "/account"],
  ["/explore/companies?state=WA&page=2", "/explore/companies?state=WA&page=2"],
  ["/explore#part", "/explore"],
  ["/a/../account", "/account"],
  ["/docs?next=https://evil.example", "/docs?next=https://evil.example"],
  ["/ä", "/%C3%A4"],
])("%s leads to %s", (text, path) => {
  expect(localPath(text, "/")).toBe(path)
})

test.each([
  "",
  "account",
  "https://evil.example",
  "//evil.example",
  "///evil.example",
  "/\\evil.example",
  "\\\\evil.example",
  "/\t/evil.example",
  "/\n/evil.example",
  "\t//evil.example",
  " //evil.example",
  "/.//evil.example",
  "/a/..//evil.example",
  "/%2e//evil.example",
  "javascript:alert(1)",
  "http:/evil.example",
  `/${"x".repeat(2_000)}`,
])("%j leads to the default page", (text) => {
  expect(localPath(text, "/fallback")).toBe("/fallback")
})
