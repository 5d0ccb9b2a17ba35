/** Each change of a watched subject is reported by one event, whose counts are those of its addresses. */
import { afterAll, beforeEach, expect, test } from "bun:test"
import { awkward, type Fixtures } from "../../support/fixtures.ts"
import { until } from "../../support/until.ts"
import { alertWorkbench } from "./alert-workbench.ts"

const bench = await alertWorkbench()
const { service, receiver, watch, settled, totalAt } = bench
afterAll(bench.stop)

beforeEach(async () => {
  await service.sql`delete from watches`
  receiver.events.length = 0
})

const withTenements = (
  change: (each: Fixtures["tenements"][number]) => object | null,
): Fixtures => ({
  ...awkward,
  tenements: awkward.tenements.flatMap((each) => {
    const changed = change(each)
    return changed ? [{ ...each, ...changed }] : []
  }),
})

test("A changed list is reported with its counts, addresses and page, and signed", async () => {
  const { id } = await watch({ list: "/tenements?state=NT" }, { name: "Northern" })
  const { id: release } = (await service.sql`select max(id)::int as id from releases`)[0] ?? {}
  await service.publish(
    withTenements(({ id }) => (id === "NT-1" ? null : id === "NT-2" ? { status: "granted" } : {})),
  )
  await until(() => receiver.events.length > 0, 10_000)
  await settled()
  const [event] = receiver.events
  expect(receiver.events).toHaveLength(1)
  const list = `${service.url}/api/v1/tenements?state=NT`
  // The fixtures publish every record anew, as changed.
  expect([event?.type, event?.timestamp, event?.data]).toEqual([
    "list.changed",
    "2026-03-01T00:00:00Z",
    {
      watch: { id, name: "Northern" },
      release: release + 1,
      since_release: release,
      list,
      changed: 2,
      changed_url: `${list}&updated_since=${release}&as_of=${release + 1}`,
      removed: 1,
      removed_url: `${list}&removed_since=${release}&as_of=${release + 1}`,
      page_url: `${service.url}/explore/changes/tenements?state=NT&since=${release}&as_of=${release + 1}`,
    },
  ])
  expect(await totalAt(event?.data.changed_url)).toBe(2)
  expect(await totalAt(event?.data.removed_url)).toBe(1)
})
