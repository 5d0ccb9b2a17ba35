/** ASX codes are matched without regard to case, and a letter of another alphabet is no letter of a code. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"
import { readList } from "./bodies.ts"

let service: TestService

beforeAll(async () => {
  service = await testService()
})

afterAll(() => service.stop())

// Their upper case, by Unicode, is I and S.
test.each([
  ["b\u0131g", "a dotless i"],
  ["\u017ftr", "a long s"],
])("%j, with %s, is no code", async (code) => {
  const path = encodeURIComponent(code)
  expect((await service.get(`/companies/${path}`)).status).toBe(404)
  expect((await service.get(`/companies/${path}/tenements`)).status).toBe(404)
  expect((await readList(await service.get(`/reports?company=${path}`))).meta.total).toBe(0)
})
