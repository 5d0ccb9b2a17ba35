/** A path that can't be decoded leads nowhere, on every route, and is never a failure of the service. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { type AppOptions, createAdminApp, createApp } from "../../src/app.ts"
import { signedInVisitor } from "../pages/visitor.ts"
import { type TestService, testService } from "../support/service.ts"
import { freePort } from "../support/supervised.ts"

let service: TestService
let admin: string
let session: string

beforeAll(async () => {
  const port = freePort()
  service = await testService({ settings: { ADMIN_PORT: String(port) } })
  admin = `http://127.0.0.1:${port}`
  const { jar } = await signedInVisitor(service, "person@example.com")
  session = `__Host-session=${jar.cookie}`
})
afterAll(() => service.stop())

const undecodable = ["%ff", "%zz", "%", "%c0%80", "%ed%a0%80", "a%ffb"]

/** The paths of the routes with each segment in turn replaced, and with one more. */
function pathsOf(routes: readonly { path: string }[]): string[] {
  const paths = routes.flatMap(({ path }) => {
    const segments = path.split("/").slice(1)
    return undecodable.flatMap((bad) => [
      ...segments.map((_, index) => segments.with(index, bad)),
      [...segments, bad],
    ])
  })
  return [...new Set(paths.map((segments) => `/${segments.join("/")}`))]
}

// Nothing of the options is used before a request comes.
const paths = pathsOf(createApp({} as AppOptions).routes)

const isOfApi = (path: string): boolean => path.startsWith("/api/v1/")

const statusOf = async (url: string, init?: RequestInit): Promise<number> => {
  const answer = await fetch(url, { redirect: "manual", ...init })
  await answer.body?.cancel()
  return answer.status
}

test.each(["GET", "HEAD", "POST"])(
  "%s is 404, or 401 without a token in the API",
  async (method) => {
    for (const path of paths) {
      const status = await statusOf(service.url + path, { method })
      expect([path, status]).toEqual([path, isOfApi(path) ? 401 : 404])
    }
  },
)

test("with a token or a session it is 404, or 400 in the API", async () => {
  const headers = { Authorization: `Bearer ${service.tokens.admin}`, Cookie: session }
  for (const path of paths) {
    const status = await statusOf(service.url + path, { headers })
    expect([path, status]).toEqual([path, isOfApi(path) ? 400 : 404])
  }
})

test("on the port for operators it is 404", async () => {
  for (const path of [...paths, ...pathsOf(createAdminApp({} as AppOptions).routes)]) {
    expect([path, await statusOf(admin + path)]).toEqual([path, 404])
  }
})

test("none is logged as a failure or counted as an error of the service", async () => {
  const lines = await service.logged()
  expect(lines.filter((line) => /failed|"http.response.status_code":5/.test(line))).toEqual([])
  expect(
    lines.filter((line) => line.includes('"http.response.status_code":404')).length,
  ).toBeGreaterThan(0)
  const metrics = await (await fetch(`${admin}/metrics`)).text()
  expect(metrics).not.toMatch(/^http_server_request_duration_seconds_count\{.*status_code="5/m)
})
