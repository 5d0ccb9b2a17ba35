/** Token, then rate limit, then method and path, then parameters, then data. */
import { expect, test } from "bun:test"
import { apiPaths } from "../support/routes.ts"
import { enterpriseLimit, serviceOfFile } from "../support/service.ts"

const service = await serviceOfFile()
for (let count = 0; count < enterpriseLimit; count++) {
  await service.get("/companies", { token: service.tokens.enterprise })
}

const badPaths = ["/nothing", "/companies/ZZZ", "/companies/%ff", "/companies?page=0"]

test("A limited caller gets 429 whatever the method, the path and the parameters", async () => {
  const { enterprise: token } = service.tokens
  // Usage has a limit of its own.
  const known = apiPaths.filter((path) => path !== "/usage")
  for (const path of [...known, ...badPaths]) {
    for (const method of ["GET", "HEAD", "POST"]) {
      expect((await service.get(path, { method, token })).status).toBe(429)
    }
  }
})

test("A limited caller gets 429 instead of 304", async () => {
  const etag = (await service.get("/companies")).headers.get("etag") ?? ""
  const headers = { "If-None-Match": etag }
  expect((await service.get("/companies", { headers })).status).toBe(304)
  const { enterprise: token } = service.tokens
  expect((await service.get("/companies", { token, headers })).status).toBe(429)
})

test("A wrong method gets 405 before an unknown path 404 or a bad parameter 400", async () => {
  for (const path of badPaths) {
    expect((await service.get(path, { method: "POST" })).status).toBe(405)
  }
})

test("An unknown path gets 404 whatever the parameters", async () => {
  expect((await service.get("/nothing?page=0")).status).toBe(404)
})

test("A bad parameter gets 400 before an unknown record 404", async () => {
  for (const path of [
    "/companies/ZZZ",
    "/companies/ZZZ/tenements",
    "/reports/none",
    "/tenements/x",
  ]) {
    expect((await service.get(`${path}?nonsense=1`)).status).toBe(400)
  }
})
