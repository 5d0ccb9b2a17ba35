/** Responses and descriptions are those recorded in `test/contract/v1`, but for what the guide lets v1 gain. */
import { expect, test } from "bun:test"
import { errorTable } from "../../../src/api/http/api-error.ts"
import { responseHeaders } from "../../../src/api/http/response-headers.ts"
import { tools } from "../../../src/api/mcp/tools.ts"
import { endpoints } from "../../../src/api/routes/endpoints.ts"
import { ask } from "../../api/mcp/conversation.ts"
import { afterFile } from "../../support/of-file.ts"
import { testDatabase } from "../../support/postgres.ts"
import { serviceOfFile } from "../../support/service.ts"
import { differences, first } from "./compatible.ts"
import { contractData, contractTime } from "./contract-data.ts"
import { type Exchange, readRecorded, recordedDirectory, writeExchanges } from "./exchange.ts"
import { losses } from "./gains.ts"
import { layOut, type Replayed, replay } from "./replay.ts"

/** Records deliberate changes, and requests that were added to a file by hand. */
const command = "CONTRACT=record bun test --no-isolate test/contract/recorded/recorded.test.ts"
const isRecording = process.env.CONTRACT === "record"

const recorded = await readRecorded()

const database = await testDatabase(contractData)
afterFile(database.drop)
const service = await serviceOfFile({ beside: { database }, now: contractTime })
const { admin: token, enterprise: limited } = service.tokens
const replayed: Replayed = { url: service.url, token, limited }

for (const [name, exchanges] of recorded) {
  test(`Responses are those of test/contract/v1/${name}`, async () => {
    const now = await replay(replayed, exchanges)
    if (isRecording) {
      await Bun.write(new URL(name, recordedDirectory), writeExchanges(now))
      recorded.set(name, now)
      return
    }
    expectNone(exchanges.flatMap((was, index) => differences(was, now[index] ?? was)))
  })
}

test("The OpenAPI document only gains", async () => {
  const response = await fetch(`${service.url}/openapi.json`)
  // Its version follows that of the program.
  const { info: _, ...described } = Object(await response.json())
  await expectGains("openapi.json", described)
})

test("The tools for assistants only gain", async () => {
  const { result } = await ask(service, "tools/list", {})
  await expectGains("tools.json", result?.tools)
})

async function expectGains(name: string, now: unknown): Promise<void> {
  const file = Bun.file(new URL(name, recordedDirectory))
  if (isRecording) await Bun.write(file, `${layOut(now)}\n`)
  expectNone(losses(await file.json(), now, name))
}

/** Fails with the differences, and with what to do about them. */
function expectNone(found: readonly string[]): void {
  if (found.length === 0) return
  throw new Error(
    `The contract has changed:\n\n  ${first(found, 12).join("\n  ")}\n\n` +
      "If src/web/guide/compatibility.md does not allow this, mend the code. " +
      `Otherwise record it, and review the diff of test/contract/v1:\n\n  ${command}\n`,
  )
}

const all = (): Exchange[] => [...recorded.values()].flat()

test("Each endpoint, parameter and enumerated value has a recorded response", () => {
  const missing = endpoints.flatMap((endpoint) => {
    const path = new RegExp(`^GET /api/v1${endpoint.path.replace(/:\w+/, "[^/?]+")}(\\?|$)`)
    const queries = all()
      .filter(({ request, status }) => status === 200 && path.test(request))
      .map(({ request }) => new URLSearchParams(request.split("?")[1]))
    const needed = Object.entries(endpoint.parameters).flatMap(([name, { enum: values, items }]) =>
      (values ?? items?.enum ?? [undefined]).map((value: unknown) => [name, value]),
    )
    const lacking = needed.filter(
      ([name, value]) =>
        !queries.some((query) =>
          value === undefined
            ? query.has(name)
            : query.get(name)?.split(",").includes(String(value)),
        ),
    )
    return [
      ...(queries.length === 0 ? [endpoint.path] : []),
      ...lacking.map(([name, value]) => `${endpoint.path}?${name}=${value ?? "…"}`),
    ]
  })
  if (missing.length === 0) return
  throw new Error(
    `No response with status 200 is recorded of:\n\n  ${missing.join("\n  ")}\n\n` +
      'Add valid requests, such as "=== GET /api/v1/companies?page=2", to a file of test/contract/v1, ' +
      `after an empty line each. Then record them:\n\n  ${command}\n`,
  )
})

test("Each tool, error of a client and documented header has a recorded response", () => {
  const calls = all().map(({ request }) => request)
  for (const { name } of tools) {
    const call = `MCP tools/call {"name":"${name}"`
    expect([name, calls.some((each) => each.startsWith(call))]).toEqual([name, true])
  }
  const bodies = all().map(({ body }) => body)
  const ofClient = Object.entries(errorTable).filter(([, { status }]) => status < 500)
  for (const [code] of ofClient) {
    expect([code, bodies.some((body) => body.includes(`{"code":"${code}"`))]).toEqual([code, true])
  }
  const headers = new Set(all().flatMap((each) => Object.keys(each.headers)))
  for (const name of Object.keys(responseHeaders)) expect(headers).toContain(name.toLowerCase())
})
