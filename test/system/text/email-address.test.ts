/** An email address is one address as mail can be sent to it, and nothing that could be two. */
import { expect, test } from "bun:test"
import { isEmailAddress } from "../../../src/system/text/email-address.ts"

test.each([
  "analyst@example.com",
  "first.last+mining@sub.example.com.au",
  "jürgen@bücher.example",
  "root@localhost",
  `${"x".repeat(242)}@example.com`,
])("%s is an email address", (text) => {
  expect(isEmailAddress(text)).toBe(true)
})

test.each([
  "",
  "@",
  "analyst",
  "analyst@",
  "@example.com",
  "a b@example.com",
  "a@b@example.com",
  "a,b@example.com",
  "a;b@example.com",
  "Ann<a@example.com",
  '"a"@example.com',
  "a@[127.0.0.1]",
  "a\u0000@example.com",
  "a\r\nBcc:x@example.com",
  "a\u200b@example.com",
  "a\u202e@example.com",
  `${"x".repeat(243)}@example.com`,
])("%j is not an email address", (text) => {
  expect(isEmailAddress(text)).toBe(false)
})
