/** The parts for signing in look after what is stored for them. */
import { expect, test } from "bun:test"
import { readConfig } from "../../src/config.ts"
import { createLog } from "../../src/log/log.ts"
import { createSignIn } from "../../src/service/sign-in.ts"
import { registry } from "../access/registry.ts"
import { until } from "../support/until.ts"

test("what expired while no process ran is deleted soon after the start", async () => {
  const at = await registry()
  const now = new Date("2026-03-01T00:00:00Z")
  await at.sql(`insert into sign_in_links (sha256, email, email_folded, expires_at)
    values ('${"0".repeat(64)}', 'a@b', 'a@b', timestamptz '${now.toISOString()}' - interval '1 second')`)
  const failures: unknown[] = []
  const { stop } = createSignIn({
    config: readConfig({}),
    pool: at.pool,
    redis: null,
    notWritten: () => (error) => failures.push(error),
    log: createLog(
      () => {},
      () => now,
    ),
    now: () => now,
    steadyMs: () => now.getTime(),
    firstDeletionMs: 1,
  })
  await until(async () => (await at.sql("select from sign_in_links")).length === 0)
  await stop(1_000)
  expect(failures).toEqual([])
  await at.stop()
})
