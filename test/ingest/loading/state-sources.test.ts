/** A state's tenements come from one source: its register, else its part of the national view, else the view. */
import { describe, expect, test } from "bun:test"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { removeSource } from "../../../src/ingest/loading/remove-source.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const view = (...rows: string[]) =>
  ["name,tenementType,status,owner,grantDate,expireDate,state", ...rows, ""].join("\n")
const inView = (state: string, from: number, to: number, holder = "VIEW PTY LTD") =>
  numbers(from, to).map((number) => `EL ${number},EL,Granted,${holder},,,${state}`)
const vic = (from: number, to: number, holder = "OWN PTY LTD") =>
  [
    "tno,typedesc,statussdsc,own_name",
    ...numbers(from, to).map((number) => `EL${number},Exploration Licence,Current,${holder}`),
    "",
  ].join("\n")
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => from + index)

/** The number of tenements by state and source. */
const counts = async () =>
  Object.fromEntries(
    (
      await bench.sql`
        select state || ' ' || source as owner, count(*)::integer as count
        from tenements group by 1 order by 1`
    ).map(({ owner, count }) => [owner, count]),
  )

test("A complete load of a higher source takes the state over in one release", async () => {
  await bench.load("national", view(...inView("VIC", 0, 20), ...inView("NT", 0, 5)))
  const taken = await bench.load("vic", vic(1, 21))
  expect(taken.release).toBe(2)
  expect(taken.changes).toMatchObject({ added: 1, changed: 19, removed: 1 })
  expect(await counts()).toEqual({ "NT national": 5, "VIC vic": 20 })
  const history = await bench.sql`
    select count(*)::integer as count, min(source) as source, min(until_release) as until
    from tenements_history`
  expect(history[0]).toEqual({ count: 20, source: "national", until: 2 })
})

test("A record whose values stay the same is a changed record when its source changes", async () => {
  const rows = inView("VIC", 0, 3)
  await bench.load("national", view(...rows))
  const { changes } = await bench.load("national-vic", view(...rows))
  expect(changes).toEqual({ added: 0, changed: 3, removed: 0, deactivated: 0 })
  const versions = await bench.sql`select distinct source, since_release from tenements`
  expect([...versions]).toEqual([{ source: "national-vic", since_release: 2 }])
})

test("The lower source's rows of that state are left out and counted", async () => {
  await bench.load("vic", vic(0, 20))
  const { files, changes } = await bench.load(
    "national",
    view(...inView("VIC", 0, 30), ...inView("NT", 0, 5)),
  )
  expect(files[0]?.left_out).toEqual({ "already loaded from vic": 30 })
  expect(changes).toMatchObject({ added: 5, changed: 0, removed: 0 })
  expect(await counts()).toEqual({ "NT national": 5, "VIC vic": 20 })
})

test("A source with less than 95% as many tenements takes a state over only with acceptShrink", async () => {
  await bench.load("national", view(...inView("VIC", 0, 100)))
  expect(await bench.refusal("vic", vic(0, 94))).toBe(
    "Nothing was published: the files of the source vic have 94 tenements of VIC, fewer than 95% of the " +
      "100 of the source national, which they would replace. " +
      "If a file is truncated, load a complete one; if not, add --accept-shrink",
  )
  expect(await counts()).toEqual({ "VIC national": 100 })
  await bench.load("vic", vic(0, 94), { acceptShrink: true })
  expect(await counts()).toEqual({ "VIC vic": 94 })
  await bench.empty()
  await bench.load("national", view(...inView("VIC", 0, 100)))
  await bench.load("vic", vic(0, 95))
  expect(await counts()).toEqual({ "VIC vic": 95 })
})

test("A partial load takes no state over", async () => {
  await bench.load("national", view(...inView("VIC", 0, 20)))
  const { release, files } = await bench.load("vic", vic(0, 30), { partial: true })
  expect(release).toBeNull()
  expect(files[0]?.left_out).toEqual({ "already loaded from national": 30 })
})

test("A rejected row does not remove the tenement, and the next load takes it over", async () => {
  await bench.load("national", view(...inView("VIC", 0, 40)))
  await bench.load("vic", vic(0, 40).replace("OWN PTY LTD", "X".repeat(2001)))
  expect(await counts()).toEqual({ "VIC national": 1, "VIC vic": 39 })
  await bench.load("vic", vic(0, 40))
  expect(await counts()).toEqual({ "VIC vic": 40 })
})

test("A register's row with the id of an operator's own tenement is rejected", async () => {
  await bench.load("tenements", "id,tenement_id,state\nVIC-EL0,EL0,VIC\nVIC-X,X,VIC\n")
  const { files } = await bench.load("vic", vic(0, 20))
  expect(files[0]).toMatchObject({ accepted: 19, rejected: 1 })
  expect(await counts()).toEqual({ "VIC tenements": 2, "VIC vic": 19 })
})

test("A part of the national view has only the tenements of its state", async () => {
  const rows = [...inView("VIC", 0, 2), ...inView("", 2, 4), ...inView("NT", 0, 3)]
  const { files } = await bench.load("national-vic", view(...rows))
  expect(files[0]).toMatchObject({ accepted: 4, left_out: { "of other states": 3 } })
})

describe("Removing a source", () => {
  const remove = async (name: string) => (await removeSource(bench.url, name, silent)).value

  test("Removing a source publishes a release without its records, and the next loaded source takes its states", async () => {
    const rows = [...inView("VIC", 0, 20), ...inView("NT", 0, 5)]
    await bench.load("vic", vic(0, 20))
    await bench.load("national", view(...rows))
    expect(await remove("vic")).toMatchObject({ release: 3, changes: { removed: 20 } })
    expect(await counts()).toEqual({ "NT national": 5 })
    const [release] =
      await bench.sql`select source, manifest->'resources' as resources from releases where id = 3`
    expect(release).toMatchObject({ source: "vic", resources: { tenements: { removed: 20 } } })
    expect([...(await bench.sql`select name from sources`)]).toEqual([{ name: "national" }])
    await bench.load("national", view(...rows))
    expect(await counts()).toEqual({ "NT national": 5, "VIC national": 20 })
  })

  test("A removed source ends the links of its records", async () => {
    await bench.load("companies", "asx_code,company_name,is_active\nQQQ,Own Limited,true\n")
    await bench.load("vic", vic(0, 20, "OWN LIMITED"))
    await remove("vic")
    const totals = await bench.sql`select total_tenements from companies`
    expect([...totals]).toEqual([{ total_tenements: 0 }])
  })

  test("A source that is not loaded cannot be removed", async () => {
    expect(remove("vic")).rejects.toThrow("The source vic has not been loaded yet")
  })
})
