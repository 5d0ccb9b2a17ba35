/** Many requests of one account at once are served, of every kind but exports. */
import { expect, test } from "bun:test"
import { callTool } from "../api/mcp/conversation.ts"
import { awkward } from "../support/fixtures.ts"
import { serviceOfFile, testService } from "../support/service.ts"
import { signedInVisitor } from "../web/pages/visitor.ts"
import { readRecord } from "./bodies.ts"

const service = await serviceOfFile()
/** Of companies in the data. */
const codes = awkward.companies.map(({ asx_code }) => asx_code)
const codeOf = (index: number): string => codes[index % codes.length] ?? ""
const fields = ["asx_code", "company_name", "is_active"]
const token = await service.issueWithLimit(1_000_000)
const person = await signedInVisitor(service, "at-once@example.com")

/** Sends one of a hundred requests. No two of them are equal. @returns its status */
type Send = (index: number) => Promise<number>

const api =
  (pathOf: (index: number) => string): Send =>
  async (index) =>
    (await service.get(pathOf(index), { token })).status

const explorer =
  (pathOf: (index: number) => string): Send =>
  async (index) =>
    (await person.get(pathOf(index))).status

const kinds: Record<string, Send> = {
  records: api((index) => `/companies/${codeOf(index)}?fields=${fields[index % fields.length]}`),
  lists: api((index) => `/tenements?per_page=${index + 1}`),
  "filtered lists": api((index) => `/reports?search=report ${index}`),
  facets: api((index) => `/facets/tenements/state?search=facet ${index}`),
  "the use of the account": api(() => "/usage"),
  histories: api((index) => `/companies/BIG/history?per_page=${index + 1}`),
  "pages of a company": explorer((index) => `/explore/companies/${codeOf(index)}`),
  "pages of lists": explorer((index) => `/explore/tenements?search=page ${index}`),
  "the page of use": explorer(() => "/account/usage"),
  "calls of the tool company": async (index) => {
    const { result } = await callTool(service, "company", { asx_code: codeOf(index) })
    return result?.isError ? index : 200
  },
}

async function expectServed(count: number, send: Send): Promise<void> {
  const statuses = await Promise.all(Array.from({ length: count }, (_, index) => send(index)))
  expect(statuses.filter((status) => status !== 200)).toEqual([])
}

test.each(Object.entries(kinds))("A hundred %s", (_, send) => expectServed(100, send))

// Each opens a connection to the database, which takes much longer than the other kinds.
test("Twenty forms for tokens", () =>
  expectServed(20, async (index) => {
    const form = { form: crypto.randomUUID(), name: `token ${index}` }
    return (await person.post("/account/tokens", form)).status
  }))

test("Records requested at the same time by one account are each the requested one", async () => {
  await using uncached = await testService({ beside: service, settings: { CACHE_MEMORY_MB: "0" } })
  const read = async (code: string) =>
    (await readRecord(await uncached.get(`/companies/${code}`, { token }))).asx_code
  expect(await Promise.all([...codes, ...codes].map(read))).toEqual([...codes, ...codes])
})
