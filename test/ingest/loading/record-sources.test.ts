/** A record belongs to the source that loaded it, until that source is removed. */
import { describe, expect, test } from "bun:test"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { removeSource } from "../../../src/ingest/loading/remove-source.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const vic = (from: number, to: number, holder = "OWN PTY LTD") =>
  [
    "tno,typedesc,statussdsc,own_name",
    ...Array.from(
      { length: to - from },
      (_, index) => `EL${from + index},Exploration Licence,Current,${holder}`,
    ),
    "",
  ].join("\n")

const remove = async (name: string) => (await removeSource(bench.url, name, silent)).value

/** The number of tenements by source. */
const counts = async () =>
  Object.fromEntries(
    (
      await bench.sql`
        select source, count(*)::integer as count from tenements group by 1 order by 1`
    ).map(({ source, count }) => [source, count]),
  )

const own = "id,tenement_id,state\nVIC-EL0,EL0,VIC\nVIC-X,X,VIC\n"

test("Another source's row is rejected, and the message names the command that removes the source", async () => {
  await bench.load("tenements", own)
  const { files } = await bench.load("vic", vic(0, 20))
  expect(files[0]).toMatchObject({ accepted: 19, rejected: 1 })
  expect(bench.rejects()[0]?.reason).toBe(
    'id "VIC-EL0" belongs to the source tenements; only that source can change it, ' +
      "and `mds sources remove tenements` removes its records",
  )
  expect(await counts()).toEqual({ tenements: 2, vic: 19 })
  await remove("tenements")
  await bench.load("vic", vic(0, 20))
  expect(await counts()).toEqual({ vic: 20 })
})

describe("Removing a source", () => {
  test("Removing a source publishes a release without its records", async () => {
    await bench.load("vic", vic(0, 20))
    await bench.load("tenements", own.replace("EL0,", "EL99,").replace("VIC-EL0", "VIC-EL99"))
    expect(await remove("vic")).toMatchObject({ release: 3, changes: { removed: 20 } })
    expect(await counts()).toEqual({ tenements: 2 })
    const [release] =
      await bench.sql`select source, manifest->'resources' as resources from releases where id = 3`
    expect(release).toMatchObject({ source: "vic", resources: { tenements: { removed: 20 } } })
    expect([...(await bench.sql`select name from sources`)]).toEqual([{ name: "tenements" }])
  })

  test("A removed source ends the links of its records", async () => {
    await bench.companies("QQQ,Own Limited,true")
    await bench.load("vic", vic(0, 20, "OWN LIMITED"))
    await remove("vic")
    const totals = await bench.sql`select total_tenements from companies`
    expect([...totals]).toEqual([{ total_tenements: 0 }])
  })

  test("A source that is not loaded cannot be removed", async () => {
    await expect(remove("vic")).rejects.toThrow("The source vic has not been loaded yet")
  })
})
