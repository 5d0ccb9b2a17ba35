/** The chain of the app is structural: every route is behind it, also without a server. */
import { expect, test } from "bun:test"
import { Elysia } from "elysia"
import { createApp } from "../src/app.ts"
import { readConfig } from "../src/config.ts"
import { createLog } from "../src/system/log/log.ts"
import { startParts } from "../src/system/service/parts.ts"
import { afterFile } from "./support/of-file.ts"
import { serviceOfFile } from "./support/service.ts"

const service = await serviceOfFile()
const now = () => service.clock.now
const parts = await startParts({
  config: readConfig({}),
  databaseUrl: service.database.url,
  log: createLog(() => {}, now),
  now,
})
afterFile(() => parts.close())

const ask = (to: { handle(request: Request): Promise<Response> }, path: string, token?: string) =>
  to.handle(
    new Request(`http://localhost${path}`, {
      headers: token ? { Authorization: `Bearer ${token}` } : {},
    }),
  )

test("A new route without plugins of its own is behind the whole chain", async () => {
  const bare = new Elysia({ name: "bare", prefix: "/bare" }).get("/", () => "reached")
  const extended = createApp(parts.app, bare)
  const responses = [
    await ask(extended, "/api/v1/bare"),
    await ask(extended, "/api/v1/bare", service.tokens.admin),
  ]
  expect(
    await Promise.all(responses.map(async (response) => [response.status, await response.text()])),
  ).toEqual([
    [401, expect.stringContaining("UNAUTHORIZED")],
    [200, "reached"],
  ])
  const limited = await service.issueWithLimit(1)
  expect((await ask(extended, "/api/v1/bare", limited)).status).toBe(200)
  expect((await ask(extended, "/api/v1/bare", limited)).status).toBe(429)
  const malformed = await ask(extended, "/api/v1/bare/%ff", service.tokens.admin)
  expect(malformed.status).toBe(400)
})
