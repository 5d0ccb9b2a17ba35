/** Foreign requests to pages are rejected with a reason, and every response forbids browsers to run foreign code. */
import { expect, test } from "bun:test"
import { readForm } from "../../../src/web/pages/kit/form.ts"
import { PageError } from "../../../src/web/pages/kit/page-error.ts"
import { opened, requestText } from "../../contract/raw-http.ts"
import { serviceOfFile } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { textOf } from "./page-reader.ts"
import { type SignedInVisitor, signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile()
const person = await signedInVisitor(service, "person@example.com")

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

const browser = { Accept: "text/html,*/*;q=0.8" }
const ask = (path: string, method = "GET", headers: Record<string, string> = browser) =>
  fetch(service.url + path, { method, headers, redirect: "manual" })

const tokensOf = ({ accountId }: SignedInVisitor) =>
  service.sql`select id::int from tokens
    where account_id = ${accountId} order by id`

test("A value that no form offers creates no token", async () => {
  const before = await tokensOf(person)
  for (const lifetime of ["-1", "NaN", "7.0", "3650", "zz", "1e1"]) {
    const response = await person.post("/account/tokens", { name: "x", lifetime })
    expect([lifetime, response.status, textOf(await response.text())]).toEqual([
      lifetime,
      400,
      expect.stringContaining("Not a form of this site"),
    ])
  }
  expect([...(await tokensOf(person))]).toEqual([...before])
})

test("A browser may send a form of this site with only Origin, or with Origin and Sec-Fetch-Site", async () => {
  const { host } = new URL(service.url)
  for (const headers of [
    { "Sec-Fetch-Site": "same-origin", Origin: service.url },
    { "Sec-Fetch-Site": "same-origin", Origin: `https://${host}` },
    { "Sec-Fetch-Site": "same-origin" },
    { Origin: `https://${host}` },
  ]) {
    expect([headers, (await ask("/account/sign-out", "POST", headers)).status]).toEqual([
      headers,
      303,
    ])
  }
  const headers = { "Sec-Fetch-Site": "same-origin", Origin: "https://evil.example" }
  expect((await ask("/account/sign-out", "POST", headers)).status).toBe(403)
})

test("Every response outside the API has the policy", async () => {
  const page = await (await ask("/")).text()
  const asset = /href="(\/assets\/icon[^"]+)"/.exec(page)?.[1] ?? "no icon"
  for (const path of [
    "/",
    "/docs",
    "/docs.md",
    "/llms.txt",
    "/openapi.json",
    "/livez",
    "/readyz",
    "/metrics",
    "/nothing-here",
    "/account/tokens",
    "/explore/companies.csv",
    asset,
  ]) {
    for (const headers of [browser, { Accept: "application/json" }]) {
      const response = await ask(path, "GET", headers)
      await response.body?.cancel()
      expect([path, response.headers.get("content-security-policy")]).toEqual([path, policy])
    }
  }
  const response = await service.get("/companies")
  expect(response.headers.get("content-security-policy")).toBeNull()
})

test("Another method on a known path is 405 and names the allowed ones", async () => {
  const page = await (await ask("/")).text()
  const asset = /href="(\/assets\/icon[^"]+)"/.exec(page)?.[1] ?? "no icon"
  for (const [method, path, allow] of [
    ["GET", "/account/sign-out", "POST"],
    ["GET", "/account/send-link", "POST"],
    ["GET", "/account/sessions/end-all", "POST"],
    ["PUT", "/account/sign-in", "GET, HEAD"],
    ["DELETE", "/account/tokens/5", "GET, HEAD, POST"],
    ["GET", "/account/tokens/5/revoke", "POST"],
    ["POST", "/", "GET, HEAD"],
    ["POST", "/docs", "GET, HEAD"],
    ["PATCH", "/explore/companies", "GET, HEAD"],
    ["DELETE", "/livez", "GET, HEAD"],
    ["POST", "/llms.txt", "GET, HEAD"],
    ["POST", asset, "GET, HEAD"],
    ["PUT", "/openapi.json", "GET, HEAD, OPTIONS"],
  ] as const) {
    const shown = await ask(path, method)
    expect([method, path, shown.status, shown.headers.get("allow")]).toEqual([
      method,
      path,
      405,
      allow,
    ])
    expect(shown.headers.get("content-type")).toBe("text/html; charset=utf-8")
    expect(textOf(await shown.text())).toContain("Not possible here")
  }
  const json = await ask("/openapi.json", "PUT", { Accept: "application/json" })
  expect([json.status, await json.json()]).toEqual([
    405,
    { error: { code: "METHOD_NOT_ALLOWED", message: expect.any(String) } },
  ])
  for (const path of ["/nothing-here", "/account/nothing-here", "/docs/a/b/c"]) {
    for (const method of ["GET", "POST", "DELETE"]) {
      expect([path, method, (await ask(path, method)).status]).toEqual([path, method, 404])
    }
  }
})

test("A form that does not arrive in time ends in a closed connection", async () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      readForm(request, 50).then(
        (form) => new Response(form.get("a")),
        (error: unknown) => {
          if (!(error instanceof PageError)) throw error
          return new Response(error.title, { status: error.status, headers: { ...error.headers } })
        },
      ),
  })
  const closed = Promise.withResolvers<string>()
  let received = ""
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port: server.port ?? 0,
    socket: {
      data: (_, data) => {
        received += data.toString()
      },
      close: () => closed.resolve(received),
      error: (_, error) => closed.reject(error),
    },
  })
  socket.write(
    "POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 100\r\n\r\na=1",
  )
  const response = await closed.promise
  expect(response).toStartWith("HTTP/1.1 408 ")
  expect(response).toEndWith("Sent too slowly")
  const headers = { "Content-Type": "application/x-www-form-urlencoded" }
  const whole = await fetch(server.url, { method: "POST", body: "a=1", headers })
  expect(await whole.text()).toBe("1")
  await server.stop(true)
})

test("A name is isolated from the text beside it", async () => {
  const name = "\u05d0\u05d1\u05d2 1"
  await person.post("/account/tokens", { name })
  const id = Number((await tokensOf(person)).at(-1)?.id)
  for (const path of ["", `/${id}`]) {
    expect([path, await person.read(`/account/tokens${path}`)]).toEqual([
      path,
      expect.stringContaining(`<bdi>${name}</bdi>`),
    ])
  }
})

test("A token in an address is not passed to the sign-in page", async () => {
  for (const [path, next] of [
    ["/account/usage?api_key=mds_secret", "/account/usage"],
    ["/account/usage?a=%C3%A9&api_key=mds_secret&b=1", "/account/usage?a=%C3%A9&b=1"],
    ["/account/usage?API%5Fkey=mds_secret&b=1", "/account/usage?b=1"],
    ["/account/usage?a=%C3%A9", "/account/usage?a=%C3%A9"],
  ] as const) {
    const location = (await ask(path)).headers.get("location") ?? ""
    expect([path, new URLSearchParams(location.split("?")[1]).get("next")]).toEqual([path, next])
  }
})

test("A client that leaves before its form has arrived is no fault of the service", async () => {
  const socket = await opened(service.port)
  const headers = {
    "Content-Type": "application/x-www-form-urlencoded",
    "Content-Length": "100",
    "Sec-Fetch-Site": "same-origin",
  }
  const before = service.logLines.length
  socket.write(`${requestText("/account/link", headers, { method: "POST" })}link=`)
  await until(async () => (await activeRequests()) > 1)
  socket.destroy()
  await until(() => service.logLines.length > before)
  const lines = (await service.logged()).slice(before).map((line) => JSON.parse(line))
  expect(lines).toEqual([
    expect.objectContaining({
      level: "info",
      "http.route": "/account/link",
      "http.response.status_code": 499,
    }),
  ])
  expect(lines[0]).not.toHaveProperty("error.type")
})

/** Of the service, with the one that reads them. */
async function activeRequests(): Promise<number> {
  const metrics = await (await fetch(`${service.url}/metrics`)).text()
  return Number(/^http_server_active_requests (\d+)/m.exec(metrics)?.[1])
}
