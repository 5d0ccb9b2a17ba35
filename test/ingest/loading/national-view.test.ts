/** Each state's source reads the national MineralTenement view too, and takes its own state's rows. */
import { expect, test } from "bun:test"
import { states } from "../../../src/data/db/schema.ts"
import { load } from "../../../src/ingest/loading/load.ts"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { statesIn } from "../../../src/ingest/loading/view-states.ts"
import { sourcesOfStates } from "../../../src/ingest/sources/catalogue.ts"
import { dbaseFile } from "./packed-files.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const header = "identifier,name,tenementType,status,owner,area,grantDate,expireDate,state"
const file = (...rows: string[]) => `${[header, ...rows].join("\r\n")}\r\n`

const row = (name: string, state: string) => `,${name},exploration licence,granted,X,,,,${state}`
const ofAllStates = file(...states.map((state) => row("EL 1", state)), row("EL 2", ""))

test.each(states)(
  "The source of %s takes its own rows and those that name no state",
  async (state) => {
    const { files } = await bench.load(state.toLowerCase(), ofAllStates)
    const title = (number: number) =>
      `EL${number} | ${state} | granted | exploration | X | – | – | –`
    expect(await bench.tenements()).toEqual({
      [`${state}-EL1`]: title(1),
      [`${state}-EL2`]: title(2),
    })
    expect(files[0]).toMatchObject({ read: 8, accepted: 2, left_out: { "of other states": 6 } })
  },
)

test("A row has the state that it names, or that of its identifier's domain", async () => {
  const rows = file(
    "http://geology.data.nt.gov.au/x/1,EL1,exploration licence,granted,X (70%); Y (30%),1 ha,,,",
    ",EL1,exploration licence,granted,X,1 km2,,,South Australia",
    ",EL2,exploration licence,granted,X,,,,vic",
  )
  for (const source of ["nt", "sa", "vic"]) await bench.load(source, rows)
  expect(await bench.tenements()).toEqual({
    "NT-EL1": "EL1 | NT | granted | exploration | X; Y | – | – | 0.01",
    "SA-EL1": "EL1 | SA | granted | exploration | X | – | – | 1",
    "VIC-EL2": "EL2 | VIC | granted | exploration | X | – | – | –",
  })
})

const properties = { name: "EL1", tenementType: "EL", status: "granted", owner: "X", extra: null }
const features = [{ type: "Feature", geometry: null, properties }]
const cells = ["NAME", "TENEMENTTY", "STATUS", "OWNER"].map(
  (name) => ({ name, type: "C", length: 30 }) as const,
)

test.each<[string, string | Uint8Array]>([
  ["GeoJSON", JSON.stringify({ type: "FeatureCollection", features })],
  ["NDJSON", `${JSON.stringify(properties)}\n`],
  ["dBase", dbaseFile(cells, [["EL1", "EL", "granted", "X"]])],
])("The view is read from %s too", async (_, content) => {
  await bench.load("qld", [bench.file("view", content)])
  expect(Object.keys(await bench.tenements())).toEqual(["QLD-EL1"])
})

test("A file with the columns of both is read as the register's own", async () => {
  const both = "tno,typedesc,statussdsc,own_name,name,tenementType,status,owner"
  await bench.load("vic", `${both}\nEL1,Mining Licence,Current,OWN,EL9,Other,refused,OTHER\n`)
  expect(await bench.tenements()).toEqual({
    "VIC-EL1": "EL1 | VIC | granted | mining | OWN | – | – | –",
  })
})

test("The register and the view load one after the other as one source", async () => {
  await bench.load("vic", "tno,typedesc,statussdsc,own_name\nEL1,Mining Licence,Current,OWN\n")
  const { changes } = await bench.load("vic", file(row("EL1", "VIC"), row("EL2", "VIC")))
  expect(changes).toMatchObject({ added: 1, changed: 1, removed: 0 })
})

test("Files of several states load as those of each state's source, without rows of an unknown state", async () => {
  const path = bench.file("view.csv", file(row("EL1", "VIC"), row("EL2", "NT"), row("EL3", " ")))
  const sources = sourcesOfStates(await statesIn({ files: [path] }))
  expect(sources.map(({ name }) => name)).toEqual(["vic", "nt"])
  const options = { url: bench.url, files: [path], rejectsDir: bench.directory, progress: silent }
  for (const source of sources) await load({ ...options, source })
  expect(bench.rejects().map(({ line, reason }) => [line, reason])).toEqual([
    [4, "has neither a state nor an identifier that names one"],
    [4, "has neither a state nor an identifier that names one"],
  ])
  const owners = await bench.sql`select id, source from tenements order by id`
  expect([...owners]).toEqual([
    { id: "NT-EL2", source: "nt" },
    { id: "VIC-EL1", source: "vic" },
  ])
  const acceptShrink = { acceptShrink: true, removeMissingNow: true }
  const [vic] = sources
  if (!vic) throw new Error("No source")
  // A row of an unknown state may be any record's.
  const moved = bench.file("moved.csv", file(row("EL8", "VIC"), row("EL3", " ")))
  const { changes } = await load({ ...options, ...acceptShrink, files: [moved], source: vic })
  expect(changes).toMatchObject({ added: 1, removed: 0 })
})

test("Files of several states have to name one, and to be files", async () => {
  const reason = (path: string) =>
    statesIn({ files: [path] }).catch((error: unknown) => String(error))
  expect(await reason(bench.file("none.csv", file(row("EL1", ""))))).toContain(
    "no row has a state or an identifier that names one",
  )
  expect(await reason("-")).toContain("Cannot read standard input for each state")
  expect(
    await reason(bench.file("vic.csv", "tno,typedesc,statussdsc,own_name\nEL1,a,b,c\n")),
  ).toContain('it looks like a file of the source "vic"')
})
