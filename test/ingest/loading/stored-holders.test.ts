/** `HOLDER_NAMES=companies`: no table has the name of a natural person, and no file that could is kept. */
import { expect, test } from "bun:test"
import { readdirSync } from "node:fs"
import { checkHolderNames } from "../../../src/commands/serve.ts"
import { decide } from "../../../src/ingest/loading/link-decisions.ts"
import { prune } from "../../../src/ingest/loading/prune.ts"
import { formatSummary } from "../../../src/ingest/loading/summary.ts"
import { zipFile } from "./packed-files.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const companies = { holderNames: "companies" } as const
const header = "id,tenement_id,state,holder_name\n"
const tenements = `${header}t1,E 1,WA,"SMITH, Jane; QUARRY ALPHA LTD"
t2,E 2,WA,Quarry Beta
t3,E 3,WA,Jane Smith
t4,E 4,WA,
`
const listed = "asx_code,company_name,is_active\nQZA,Quarry Alpha Limited,true\n"

const holders = () =>
  bench.sql`select holder_name, holder_name_folded, holder_keys, asx_codes from tenements
    order by id`.values()
const names = async () => (await holders()).map(([name]) => name)
const releaseNames = async () =>
  (await bench.sql`select manifest->>'holder_names' as names from releases order by id`).map(
    ({ names }) => names,
  )

/** Everything that the database has, as text. */
async function stored(): Promise<string> {
  const tables = await bench.sql`select relname as name from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`
  const texts = tables.map(({ name }) => bench.sql.unsafe(`select t::text from ${name} t`).values())
  return JSON.stringify(await Promise.all(texts))
}

test("Persons are stored as Individual, which is linked to nothing", async () => {
  await bench.load("companies", `${listed}IND,Individual Limited,true\n`, companies)
  const { links, files } = await bench.load("tenements", tenements, companies)
  expect([...(await holders())]).toEqual([
    ["Individual; QUARRY ALPHA LTD", "individual; quarry alpha ltd", ["QUARRY ALPHA LTD"], ["QZA"]],
    ["Individual", "individual", [], []],
    ["Individual", "individual", [], []],
    [null, null, [], []],
  ])
  expect(links).toMatchObject({ linked: 1, unlinked: 0, unlinked_holders: 0 })
  expect(files[0]).toMatchObject({ read: 4, accepted: 4 })
  expect(await stored()).not.toMatch(/jane|smith/i)
  expect(await releaseNames()).toEqual(["companies", "companies"])
})

test("The names of known companies and subsidiaries are stored", async () => {
  await bench.load("companies", `${listed}QZB,Quarry Beta,true\n`, companies)
  await bench.load("subsidiaries", "id,name,parent_asx_code\ns1,Jane Smith,QZA\n", companies)
  await bench.load("tenements", tenements, companies)
  expect(await names()).toEqual(["Individual; QUARRY ALPHA LTD", "Quarry Beta", "Jane Smith", null])
})

test("The name of a confirmed holder is stored, and a declined person's is forgotten with the mask", async () => {
  await bench.load("companies", listed)
  await bench.load("tenements", tenements)
  const on = { asxCode: "QZA", isRight: false }
  await decide(bench.url, [
    { ...on, holder: "Jane Smith", isRight: true },
    { ...on, holder: "Quarry Beta" },
    { ...on, holder: "QUARRY ALPHA LTD" },
  ])
  await bench.load("tenements", tenements, companies)
  expect(await names()).toEqual(["Individual; QUARRY ALPHA LTD", "Individual", "Jane Smith", null])
  expect((await bench.sql`select holder from link_decisions order by holder`).flat()).toEqual([
    { holder: "Jane Smith" },
    { holder: "QUARRY ALPHA LTD" },
  ])
  expect(await releaseNames()).toEqual(["all", "all", "companies"])
})

test("Persons in rows of their own become one Individual", async () => {
  const rows = [
    ["GOLD PTY LTD", "Jane Smith", "John Smith"],
    ["Jane Smith", "John Smith"],
  ].flatMap((names, index) => names.map((name) => `E ${index},Granted,${name},2020-01-01,\n`))
  await bench.load("nsw", `TITLE,STATUS,OWNER,GRANT_DATE,EXPIRY_DATE\n${rows.join("")}`, companies)
  expect(await names()).toEqual(["GOLD PTY LTD; Individual", "Individual"])
})

test("Loading the same file again stores the names that are allowed by then", async () => {
  await bench.load("tenements", tenements)
  expect((await bench.load("tenements", tenements, companies)).changes.changed).toBe(3)
  await bench.load("subsidiaries", "id,name,parent_asx_code\ns1,Quarry Beta,QZA\n", companies)
  expect((await bench.load("tenements", tenements, companies)).changes.changed).toBe(1)
})

test("Rejected rows are written to no file", async () => {
  const rejecting = `${header}t1,E 1,XX,Jane Smith\nt2,E 2,WA,Jane Smith\n`
  await bench.load("tenements", rejecting, companies)
  expect(readdirSync(bench.directory).filter((name) => name.startsWith("rejects"))).toEqual([])
  const rejectsDir = bench.directory
  expect(await bench.refusal("tenements", rejecting, { ...companies, rejectsDir })).toBe(
    "Cannot write rejected rows to a file: HOLDER_NAMES=companies keeps none with names of persons",
  )
  // Other files have no holders.
  await bench.load("companies", `${listed}!!,Quarry Beta,true\n`, { ...companies, rejectsDir })
  expect(bench.rejects()).toHaveLength(1)
})

test("The release of a load has no values of cells, which its summary shows", async () => {
  const columns = "tno,typedesc,statussdsc,own_name,grant1_dt,expl_dt,hectares\n"
  const row = (number: number, name: string) =>
    `EL${number},"${name}",Current,QUARRY LTD,"${name}",,"${name}"\n`
  const vic = `Copied by Jane Smith\n${columns}${row(1, "SMITH, Jane")}${row(2, 'SMITH ""Jane"" Doe')}`
  const tables = { "vic.csv": vic, "no-header.csv": "EL3,Jane Smith\n" }
  const files = [bench.file("files.zip", zipFile(tables))]
  const shown = formatSummary(await bench.load("vic", files, companies))
  expect(shown.match(/jane/gi)).toHaveLength(8)
  expect(await stored()).not.toMatch(/jane|smith|doe/i)
  const [release] = await bench.sql`select manifest->'files'->0 as file from releases`
  expect(release?.file).toMatchObject({
    warnings: {
      "type has no mapping for …": 2,
      "grant_date is not a date in a known format: …": 2,
      "area_km2 is not a number: …": 2,
    },
    notes: [
      "1 line above the header was skipped: …",
      expect.stringMatching(
        /^files.zip\/no-header.csv was not read: its columns .*found …; expected/,
      ),
    ],
  })
})

test("With HOLDER_NAMES=companies the service starts only when no readable release has all names", async () => {
  const start = () =>
    checkHolderNames("companies", bench.url).then(
      () => "started",
      (error: Error) => error.message,
    )
  const refused = (release: number) =>
    `Cannot serve with HOLDER_NAMES=companies: release ${release} was loaded with all names. ` +
    "Load every source of tenements again with HOLDER_NAMES=companies and, a day later, prune the older releases " +
    "(`mds releases prune --keep-days 1`); or load into an empty database"
  expect(await start()).toBe("started")
  await bench.load("tenements", tenements)
  expect(await start()).toBe(refused(1))
  await checkHolderNames("all", bench.url)
  // A record that is missing keeps its name.
  await bench.load("wa", "fmt_tenid,type,tenstatus,holder1\nE 9,Exploration,LIVE,Jane Doe\n")
  await bench.load("tenements", tenements, companies)
  expect(await releaseNames()).toEqual(["all", "all", "all"])
  await bench.load(
    "wa",
    "fmt_tenid,type,tenstatus,holder1\nE 9,Exploration,LIVE,Jane Doe\n",
    companies,
  )
  expect(await start()).toBe(refused(3))
  await bench.sql`update releases set published_at = published_at - interval '3 days' where id < 4`
  await bench.sql`update releases set published_at = published_at - interval '2 days' where id = 4`
  await prune(bench.url, 1)
  expect([await start(), await releaseNames()]).toEqual([
    "started",
    ["all", "all", "all", "companies"],
  ])
  expect(await stored()).not.toMatch(/jane|smith|doe/i)
})
