/** No response depends on what the database sets for the notation of dates and times. */
import { expect, test } from "bun:test"
import { testService } from "../support/service.ts"

test("dates and times are the same whatever DateStyle, TimeZone and IntervalStyle are set", async () => {
  const usual = await testService()
  const { database, sql } = usual
  const { pathname } = new URL(database.url)
  for (const setting of [
    "datestyle = 'SQL, DMY'",
    "timezone = 'Australia/Perth'",
    "intervalstyle = 'iso_8601'",
  ]) {
    await sql.unsafe(`alter database ${pathname.slice(1)} set ${setting}`)
  }
  const other = await testService({ beside: { database } })
  const paths = [
    "/tenements",
    "/tenements?format=csv&all=true",
    "/tenements/NT-1",
    "/reports?from=2025-01-01",
    "/reports?format=tsv&all=true",
    "/reports?per_page=2&page=2",
    "/releases",
  ]
  for (const path of paths) {
    const [expected, shown] = await Promise.all([usual.get(path), other.get(path)])
    expect(expected.status).toBe(200)
    expect([path, await shown.text()]).toEqual([path, await expected.text()])
  }
  await other.stop()
  await usual.stop()
})
