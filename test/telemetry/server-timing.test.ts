/** With SERVER_TIMING=true a response says where its time went, and otherwise nothing. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type TestService, testService } from "../support/service.ts"

let service: TestService

beforeAll(async () => {
  service = await testService({ settings: { SERVER_TIMING: "true" } })
})

afterAll(() => service.stop())

/** The durations by name, and the descriptions. */
function read(answer: Response) {
  const metrics = (answer.headers.get("server-timing") ?? "").split(", ").map((metric) => {
    const [, name = "", ms, description] =
      /^([a-z]+);dur=(\d+(?:\.\d{1,3})?)(?:;desc="(\d+)")?$/.exec(metric) ?? []
    return { name, ms: Number(ms), description }
  })
  return {
    names: metrics.map(({ name }) => name),
    ms: Object.fromEntries(metrics.map(({ name, ms }) => [name, ms])),
    statements: metrics.find(({ name }) => name === "statements")?.description,
  }
}

test("a page says what it spent on the token, window, release, statements and encoding", async () => {
  const token = await service.issueWithLimit(100)
  // Reads the newest release, for all.
  await service.get("/companies/BIG")
  const first = read(await service.get("/reports?company=BIG&per_page=4", { token }))
  expect(first.names).toEqual([
    ...["token", "window", "release", "queue", "statements", "encode", "total"],
  ])
  // That of the token, of the page and of its total.
  expect(first.statements).toBe("3")
  for (const ms of Object.values(first.ms)) expect(ms).toBeGreaterThanOrEqual(0)
  for (const name of ["token", "window", "release", "encode"]) {
    expect(first.ms[name]).toBeLessThanOrEqual(first.ms.total ?? 0)
  }
  const again = read(await service.get("/reports?company=BIG&per_page=4", { token }))
  expect(again.names).toEqual(["token", "window", "release", "encode", "total"])
})

test("an error, a 304, a record, an export and a page of the web site say so too", async () => {
  const record = await service.get("/companies/BIG")
  const answers = [
    record,
    await service.get("/companies/XXX"),
    await service.get("/companies/BIG", {
      headers: { "If-None-Match": record.headers.get("etag") ?? "" },
    }),
    await service.get("/companies", { token: null }),
    await service.get("/tenements?format=csv&all=true"),
    await fetch(service.url),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 404, 304, 401, 200, 200])
  for (const answer of answers) {
    expect(read(answer).names.at(-1)).toBe("total")
    expect(answer.headers.get("traceresponse")).toBeNull()
    await answer.arrayBuffer()
  }
})

test("requests at the same time have times of their own", async () => {
  const paths = Array.from({ length: 20 }, (_, index) => `/tenements?per_page=1&page=${index + 1}`)
  const answers = await Promise.all(paths.map((path) => service.get(path)))
  for (const answer of answers) {
    const { names, statements } = read(answer)
    expect(names.filter((name) => name === "total")).toHaveLength(1)
    expect(Number(statements ?? 0)).toBeLessThanOrEqual(3)
  }
})

test("probes say nothing, and neither does a service without the setting", async () => {
  expect((await fetch(`${service.url}/health/live`)).headers.get("server-timing")).toBeNull()
  const other = await testService({ beside: service })
  const answer = await other.get("/companies/BIG")
  expect(answer.headers.get("server-timing")).toBeNull()
  expect(answer.headers.get("traceresponse")).toBeNull()
  await other.stop()
})

test("scripts of other web sites are not let see the times", async () => {
  const answer = await service.get("/companies/BIG", { headers: { Origin: "https://example.com" } })
  expect(answer.headers.get("timing-allow-origin")).toBeNull()
  expect(answer.headers.get("access-control-expose-headers")).not.toMatch(/server-timing/i)
})
