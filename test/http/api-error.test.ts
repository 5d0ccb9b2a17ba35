/**
 * Each error code has one status and one message, and the cause of an error is not part of its
 * response.
 */
import { expect, test } from "bun:test"
import { ApiError, errorTable, invalidParameters } from "../../src/http/api-error.ts"

test("every code has the status and the message of its row", () => {
  for (const [code, { status, message }] of Object.entries(errorTable)) {
    const error = new ApiError(code as keyof typeof errorTable)
    expect(error.status).toBe(status)
    expect(error.body()).toEqual({ error: { code: error.code, message } })
  }
})

test("the three messages of the interface are its very words", () => {
  expect(errorTable.UNAUTHORIZED.message).toBe("Invalid or missing API token")
  expect(errorTable.NOT_FOUND.message).toBe("Resource not found")
  expect(errorTable.RATE_LIMITED.message).toBe("Rate limit exceeded")
})

test("details are shown, the cause is not", () => {
  const cause = new Error("relation tokens does not exist")
  const error = new ApiError("RATE_LIMITED", { details: { reset_at: 5 }, cause })
  expect(error.cause).toBe(cause)
  expect(JSON.stringify(error.body())).toBe(
    '{"error":{"code":"RATE_LIMITED","message":"Rate limit exceeded","details":{"reset_at":5}}}',
  )
})

test("faults of parameters stand in details, in their order", () => {
  const faults = [
    { parameter: "a", message: "x" },
    { parameter: "b", message: "y", allowed: ["z"] },
  ]
  expect(invalidParameters(faults).body().error.details).toEqual({ parameters: faults })
})
