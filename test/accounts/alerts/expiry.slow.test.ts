/** Over a simulated year each tenement is reported once for each expiry date, in Sydney's days. */
import { expect, test } from "bun:test"
import { nextLook, sydneyDay } from "../../../src/accounts/alerts/schedule.ts"
import { awkward, type Fixtures, type TenementFixture } from "../../support/fixtures.ts"
import { seededIntegers } from "../../support/seeded-integers.ts"
import { alertWorkbench } from "./alert-workbench.ts"

const dayMs = 86_400_000
const days = 30
const [pattern] = awkward.tenements
if (!pattern) throw new Error("No tenement")

const dayAfter = (day: string, count: number): string =>
  new Date(Date.parse(day) + count * dayMs).toISOString().slice(0, 10)

test("Days begin at Sydney's midnight and mails at its 07:00, on both sides of daylight saving", () => {
  const webhook = { kind: "webhook", url: "" } as const
  const mail = (when: "daily" | "weekly") => ({ kind: "mail", when }) as const
  const next = (now: string, channel: Parameters<typeof nextLook>[1]) =>
    nextLook({ kind: "expiry", path: "", days }, channel, new Date(now))?.toISOString()
  // Clocks go forward at 02:00 on 4 October 2026, and back at 03:00 on 5 April 2026.
  expect(next("2026-10-03T00:00:00Z", webhook)).toBe("2026-10-03T14:00:00.000Z")
  expect(next("2026-10-03T14:00:00Z", webhook)).toBe("2026-10-04T13:00:00.000Z")
  expect(next("2026-04-04T13:00:00Z", webhook)).toBe("2026-04-05T14:00:00.000Z")
  expect(next("2026-10-03T14:00:00Z", mail("daily"))).toBe("2026-10-03T20:00:00.000Z")
  expect(next("2026-10-02T20:59:59Z", mail("daily"))).toBe("2026-10-02T21:00:00.000Z")
  expect(next("2026-10-02T21:00:00Z", mail("daily"))).toBe("2026-10-03T20:00:00.000Z")
  expect(next("2026-10-03T14:00:00Z", mail("weekly"))).toBe("2026-10-04T20:00:00.000Z")
  expect(next("2026-10-04T20:00:00Z", mail("weekly"))).toBe("2026-10-11T20:00:00.000Z")
  expect(nextLook({ kind: "releases" }, webhook, new Date())).toBe(null)
  expect(sydneyDay(new Date("2026-10-04T13:00:00Z"))).toBe("2026-10-05")
})

const below = seededIntegers(46)
const first = "2026-03-01"
const tenements: TenementFixture[] = Array.from({ length: 120 }, (_, index) => ({
  ...pattern,
  id: `T-${index}`,
  state: index % 5 === 0 ? "NT" : "WA",
  expiry_date: index % 11 === 0 ? null : dayAfter(first, below(420) - 20),
}))
const published = (): Fixtures => ({
  ...awkward,
  tenements: tenements.map((each) => ({ ...each })),
})

const bench = await alertWorkbench({ records: published() })
const { service, receiver, watch, settled } = bench

test("Each tenement is reported once for each expiry date that is near while it matches", async () => {
  service.clock.now = new Date("2026-03-01T02:00:00Z")
  const expected: string[] = []
  let near = new Set<string>()
  // One that left the list and is back is reported again.
  const note = () => {
    const before = near
    near = new Set()
    const today = sydneyDay(service.clock.now)
    for (const { id, state, expiry_date: date } of tenements) {
      if (state !== "WA" || !date || date < today || date > dayAfter(today, days)) continue
      near.add(`${id} ${date}`)
      if (!before.has(`${id} ${date}`)) expected.push(`${id} ${date}`)
    }
  }
  const reported: string[] = []
  async function read(): Promise<void> {
    for (const { data } of receiver.events.splice(0)) {
      let count = 0
      for (const name of ["expiring_url", "entered_url"]) {
        if (!data[name]) continue
        const { pathname, search } = new URL(String(data[name]))
        const response = await service.get(
          `${pathname.replace("/api/v1", "")}${search}&per_page=100`,
        )
        const body = (await response.json()) as { data: TenementFixture[]; meta: { total: number } }
        count += body.meta.total
        reported.push(...body.data.map(({ id, expiry_date }) => `${id} ${expiry_date}`))
      }
      expect(data.expiring).toBe(count)
    }
  }
  note()
  await watch({ list: "/tenements?state=WA", expiring: days })
  await settled()
  await read()
  for (let day = 1; day <= 365; day++) {
    // Every forty days the service is away for two days.
    if (day % 40 === 1 && day > 1) continue
    service.clock.advance(dayMs * (day % 40 === 2 && day > 2 ? 2 : 1))
    note()
    await settled()
    await read()
    if (day % 4 === 0) {
      for (let changes = 0; changes < 3; changes++) {
        const changed = tenements[below(tenements.length)]
        if (!changed) continue
        if (below(3) === 0) changed.state = changed.state === "WA" ? "NT" : "WA"
        else changed.expiry_date = dayAfter(sydneyDay(service.clock.now), below(400))
      }
      await service.publish(published())
    }
    note()
    await settled()
    await read()
  }
  expect(reported.sort()).toEqual(expected.sort())
  expect(expected.length).toBeGreaterThan(60)
}, 240_000)
