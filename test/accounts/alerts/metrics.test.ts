/** The metrics show the watches by state, the deliveries by outcome, and for how long a watch has been due. */
import { expect, test } from "bun:test"
import { pauseWatch } from "../../../src/accounts/alerts/store.ts"
import { minuteMs } from "../../../src/system/text/time.ts"
import { awkward } from "../../support/fixtures.ts"
import { until } from "../../support/until.ts"
import { alertWorkbench } from "./alert-workbench.ts"

const bench = await alertWorkbench()

/** The values of the metrics of watches, at most a minute old. */
async function scrape(): Promise<Record<string, number>> {
  await bench.advance(minuteMs + 1)
  const text = await (await fetch(`${bench.service.url}/metrics`)).text()
  return Object.fromEntries(
    [...text.matchAll(/^(mds_watch\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  )
}

const deliveries = (channel: string, outcome: string) =>
  `mds_watch_deliveries_total{channel="${channel}",outcome="${outcome}"}`
const oldest = "mds_watches_oldest_due_seconds"

test("Watches are counted by state, and deliveries by channel and outcome", async () => {
  const none = {
    'mds_watches{state="active"}': 0,
    'mds_watches{state="paused"}': 0,
    'mds_watches{state="disabled"}': 0,
    [oldest]: 0,
    [deliveries("webhook", "delivered")]: 0,
    [deliveries("webhook", "failed")]: 0,
    [deliveries("mail", "delivered")]: 0,
    [deliveries("mail", "failed")]: 0,
  }
  expect(await scrape()).toEqual(none)
  bench.receiver.chosen.respond = ({ path }) =>
    new Response(null, { status: path === "/gone" ? 410 : 204 })
  const paused = await bench.watch({ releases: true })
  await bench.change(pauseWatch, paused.id)
  for (const path of ["/", "/gone"]) await bench.watch({ releases: true }, { path })
  await bench.service.publish({ ...awkward, reports: [] })
  await until(async () => {
    const rows = await bench.sql`select is_ok from deliveries`
    return rows.length === 2
  })
  expect(await scrape()).toEqual({
    ...none,
    'mds_watches{state="active"}': 1,
    'mds_watches{state="paused"}': 1,
    'mds_watches{state="disabled"}': 1,
    [deliveries("webhook", "delivered")]: 1,
    [deliveries("webhook", "failed")]: 1,
  })
  await until(() => bench.disabledLines().length > 0)
  expect(bench.disabledLines()).toEqual([
    expect.objectContaining({ level: "warn", reason: "The receiver returned 410" }),
  ])
})

test("A watch is due since its time or since the first release after its cursor, unless nobody waits for it", async () => {
  const taken = { leased_until: "2100-01-01T00:00:00Z" }
  const [watch] =
    await bench.sql`update watches set ${bench.sql(taken)}, due_at = now() - interval '90 s'
    where state = 'active' returning id`
  expect((await scrape())[oldest]).toBeWithin(89, 150)
  await bench.sql`update watches set state = 'paused' where id = ${watch?.id}`
  expect((await scrape())[oldest]).toBe(0)
  await bench.sql`update watches set state = 'active', due_at = null, covered_release = 0, covered_identity = null
    where id = ${watch?.id}`
  await bench.sql`update releases set published_at = now() - interval '2000 s' where id = 1`
  expect((await scrape())[oldest]).toBeWithin(1_999, 2_100)
  await bench.sql`update watches set channel = channel || '{"when": "daily"}' where id = ${watch?.id}`
  expect((await scrape())[oldest]).toBe(0)
})
