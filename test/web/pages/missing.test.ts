/** Records that the last files of their source lack, which no load has removed yet. */
import { expect, test } from "bun:test"
import { fileLoader } from "../../ingest/loading/file-loader.ts"
import { none } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { cellsOf, factsOf, linkTo, textOf } from "./page-reader.ts"
import { signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile({ records: none })
const person = await signedInVisitor(service, "admin@example.com")
const load = fileLoader(service)

const directory = (...codes: string[]) => [
  '"ASX code","Company name","GICs industry group","Listing date","Market Cap"',
  ...codes.map((code) => `"${code}","${code} MINING LIMITED","Materials","13/08/1985",5000`),
]
const register = (...numbers: string[]) => [
  "NAME,TENEMENTTYPE,STATUS,OWNER,GRANTDATE,EXPIREDATE",
  ...numbers.map(
    (name) => `${name},Exploration Licence,Granted,AAA MINING LIMITED,2015-10-01,2020-09-30`,
  ),
]
const at = (day: string) => ({ observed: day, acceptShrink: true })

await load("asx-directory", { "codes.csv": directory("AAA", "BBB", "CCC") }, at("2026-01-01"))
await load("tas", { "register.csv": register("EL1/2015", "EL2/2015") }, at("2026-01-01"))
await load("nt", { "register.csv": register("EL 3") }, at("2026-01-01"))
await load("asx-directory", { "codes.csv": directory("AAA", "BBB") }, at("2026-01-10"))
await load("tas", { "register.csv": register("EL1/2015") }, at("2026-01-10"))

test("A record's page says since when the files lack it, and not that its register lists it", async () => {
  const statusOf = async (id: string) =>
    factsOf(await person.read(`/explore/tenements/${id}`)).Status
  expect(await statusOf("TAS-EL1-2015")).toBe(
    "granted past expiry Its expiry date has passed, and its register still lists it as granted.",
  )
  expect(await statusOf("TAS-EL2-2015")).toBe(
    "granted past expiry Missing from the register’s file since 2026-01-10; awaiting confirmation.",
  )
  const listed = async (code: string) =>
    factsOf(await person.read(`/explore/companies/${code}`)).Listed
  expect([await listed("AAA"), await listed("CCC")]).toEqual([
    "active",
    "active Missing from the directory’s file since 2026-01-10; awaiting confirmation.",
  ])
})

test("The overview counts missing records, and leads to them on the page of changes", async () => {
  const page = await person.read("/")
  expect(cellsOf(page, "Sources").map(([name, , missing]) => [name, missing])).toEqual([
    ["asx-directory Companies", "1"],
    ["nt Tenements of the Northern Territory", "0"],
    ["tas Tenements of Tasmania", "1"],
  ])
  const links = [...page.matchAll(/href="([^"]*)#missing">1</g)].map(([, href]) => href ?? "")
  expect(links).toEqual(["/explore/changes/companies", "/explore/changes/tenements?state=TAS"])
  const missing = await Promise.all(
    links.map(async (link) => cellsOf(await person.read(link), "Missing from the last files")),
  )
  expect(missing.map(([cells, ...others]) => [cells?.[0], cells?.at(-1), others.length])).toEqual([
    ["CCC", "2026-01-10", 0],
    ["EL2/2015", "2026-01-10", 0],
  ])
})

test("The missing records follow the filters of the page of changes, and link to their pages", async () => {
  const page = await person.read("/explore/changes/tenements")
  expect(textOf(page)).toContain("Missing from the last files: 1 tenement")
  const [, section] = page.split('id="missing"')
  expect(linkTo(section ?? "", "EL2/2015")).toBe("/explore/tenements/TAS-EL2-2015")
  const others = await person.read("/explore/changes/tenements?state=NT")
  expect(others.includes("Missing from the last files")).toBe(false)
})

test("Only the last release's changes have the missing records, the first 40 on every page", async () => {
  const numbers = Array.from({ length: 45 }, (_, index) => `EL ${index + 1}`)
  await load("nt", { "register.csv": register(...numbers) }, at("2026-01-11"))
  await load("nt", { "register.csv": register("EL 3", "EL 46") }, at("2026-01-12"))
  const newest = (await service.get("/tenements")).headers.get("x-data-release") ?? ""
  const [before, first] = [Number(newest) - 1, "/explore/changes/tenements?state=NT"]
  for (const query of ["", `&since=${before}&as_of=${newest}`, "&page=2", "&per_page=1"]) {
    const page = await person.read(first + query)
    expect(cellsOf(page, "Missing from the last files")).toHaveLength(40)
    const [, section = ""] = page.split('id="missing"')
    expect(textOf(section)).toContain("Missing from the last files: 44 tenements")
    expect(textOf(section)).toContain("and 4 more")
    expect(section).not.toContain("Pages")
  }
  for (const query of [`&as_of=${before}`, "&since=1", `&since=${newest}&as_of=${newest}`]) {
    const page = await person.read(first + query)
    expect([query, page.includes("Missing from the last files")]).toEqual([
      query,
      query.startsWith(`&since=${newest}`),
    ])
  }
})
