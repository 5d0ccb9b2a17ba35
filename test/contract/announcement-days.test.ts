/** The days of announcements are those of the chosen time zone, also where its clocks change. */
import { expect, test } from "bun:test"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { textOf } from "../web/pages/page-reader.ts"
import { signedInVisitor } from "../web/pages/visitor.ts"
import { crawl } from "./crawl.ts"

/** Sydney's clocks change on 5 October 2025 and on 5 April 2026, at 16:00 UTC of the day before. */
const midnights = [
  ...[
    "2025-10-04T14:00:00Z",
    "2025-10-05T13:00:00Z",
    "2026-04-04T13:00:00Z",
    "2026-04-05T14:00:00Z",
  ],
  ...[
    "2026-01-30T00:00:00Z",
    "2026-01-30T13:00:00Z",
    "2026-07-01T00:00:00Z",
    "2026-07-01T14:00:00Z",
  ],
  ...["2025-10-05T00:00:00Z", "2026-04-05T00:00:00Z"],
]
const secondsAround = [-86_400, -7200, -3601, -3600, -3599, -60, -2, -1, 0, 1]
const offsets = [...secondsAround, ...secondsAround.map((seconds) => 1 - seconds + 1)]
const moments = midnights.flatMap((midnight) =>
  offsets.map((seconds) => new Date(Date.parse(midnight) + 1000 * seconds).toISOString()),
)
const reports = moments.map((moment, index) => ({
  hash: `r${index}`,
  asx_code: "XMR",
  title: `Quarterly ${index}`,
  type: "Quarterly",
  published_at: moment.replace(".000", ""),
  url: null,
}))

const service = await serviceOfFile({ records: { ...none, reports } })

const dayIn = (timeZone: string) => {
  const format = new Intl.DateTimeFormat("en-CA", { timeZone, dateStyle: "short" })
  return ({ published_at }: { published_at: string }) => format.format(new Date(published_at))
}

test("200 announcements around midnight are each found under their day, and the days are counted", async () => {
  expect(reports).toHaveLength(200)
  for (const timezone of ["UTC", "Australia/Sydney"]) {
    const days = Map.groupBy(reports, dayIn(timezone))
    expect(days.size).toBeGreaterThan(10)
    for (const [day, ofDay] of days) {
      const query = `from=${day}&to=${day}&timezone=${encodeURIComponent(timezone)}`
      const found = await crawl(service, `/reports?${query}`, 100)
      const hashes = ofDay.map(({ hash }) => hash)
      expect([day, found.map(({ hash }) => String(hash)).sort()]).toEqual([day, hashes.sort()])
      const facet = await service.get(`/facets/reports/type?${query}`)
      expect(await facet.json()).toMatchObject({
        data: [{ value: "Quarterly", count: ofDay.length }],
      })
    }
  }
})

test("Days are in UTC by default, and an unknown time zone is an error", async () => {
  const plain = await service.get("/reports?from=2026-01-30&to=2026-01-30")
  const inUtc = await service.get("/reports?from=2026-01-30&to=2026-01-30&timezone=UTC")
  expect(await plain.text()).toBe(await inUtc.text())
  expect(plain.headers.get("ETag")).toBe(inUtc.headers.get("ETag"))
  const all = { from: "0001-01-01", to: "9999-12-31", timezone: "Australia/Sydney" }
  const whole = await service.get(`/reports?${new URLSearchParams(all)}`)
  expect(await whole.json()).toMatchObject({ meta: { total: 200 } })
  expect((await service.get("/reports?timezone=Australia/Perth")).status).toBe(400)
  expect((await service.get("/tenements?timezone=UTC")).status).toBe(400)
})

test("Pages filter and show the time of the exchange, and records stay in UTC", async () => {
  const person = await signedInVisitor(service, "admin@example.com")
  const page = await person.read("/explore/reports?from=2026-01-31&to=2026-01-31")
  const ofDay = reports.filter((report) => dayIn("Australia/Sydney")(report) === "2026-01-31")
  expect(textOf(page)).toContain(`${ofDay.length} announcements from 2026-01-31`)
  expect(page).toContain(
    '<time datetime="2026-01-30T13:00:00Z" title="2026-01-30T13:00:00Z">2026-01-31 00:00 Sydney</time>',
  )
  expect(page).toContain("timezone=Australia%2FSydney")
  const csv = await person.get("/explore/reports.csv?from=2026-01-31&to=2026-01-31")
  const body = await csv.text()
  expect(body.split("\r\n")).toHaveLength(ofDay.length + 2)
  expect(body).toContain("2026-01-30T13:00:00Z")
})
