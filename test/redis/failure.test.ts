/** Failures of Redis never contain the password. */
import { expect, test } from "bun:test"
import { failuresOf } from "../../src/redis/failure.ts"

test.each([
  "ERR unknown command `HELLO`, with args beginning with: `3` `AUTH` `default` `s3cr&t`",
  "Cannot open redis://:s3cr%26t@cache:6379/2",
  "Bad user information :s3cr%26t@",
])("a failure names the server and never contains its password: %s", (message) => {
  const failure = failuresOf("redis://:s3cr%26t@cache:6379/2")(new Error(message))
  expect(failure.message).toStartWith("Redis at cache:6379: ")
  expect(`${failure.message} ${failure.stack}`).not.toMatch(/s3cr/)
  expect(failure.cause).toBeUndefined()
})

test("a failure at an invalid URL does not contain the URL", () => {
  const url = "redis://:s3cret@no host:99999999"
  expect(failuresOf(url)(new Error(`Invalid URL: ${url}`)).message).toBe("Redis: Invalid URL: …")
})

test("a failure at a server without a password keeps its message", () => {
  const failure = failuresOf("redis://127.0.0.1:6379")(new Error("Connection closed"))
  expect(failure.message).toBe("Redis at 127.0.0.1:6379: Connection closed")
})
