/** Links by a company's own schedule follow releases, and the page of a tenement has the basis of each link. */
import { expect, test } from "bun:test"
import { decide, publishDecisions } from "../../src/ingest/loading/link-decisions.ts"
import { silent } from "../../src/ingest/loading/progress.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { cellsOf, contentOf, linkTo } from "../web/pages/page-reader.ts"
import { signedInVisitor } from "../web/pages/visitor.ts"
import { readList, readRecord } from "./bodies.ts"

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)
const rows = (...lines: string[]) => ({ "rows.csv": lines })
const schedule = "asx_code,state,tenement_id,interest_percent,as_at,url"

await load(
  "companies",
  rows("asx_code,company_name,is_active", "QZA,Alpha NL,true", "QZB,Beta NL,true"),
)
await load("subsidiaries", rows("name,parent_asx_code", "Alpha Pits,QZA"))
await load(
  "tenements",
  rows(
    "id,tenement_id,state,holder_name",
    "T1,E 04/1131-I,WA,Alpha NL; ALPHA PITS; QZB Holdings",
    "T2,M 1/1,WA,Somebody",
  ),
)
const [before, declared, ended] = [4, 5, 6]
await load(
  "declared-tenements",
  rows(schedule, "QZB,WA,E0401131,12.5,2026-06-30,https://example.com/q.pdf", "QZB,WA,M1/1,,,"),
)
await load("declared-tenements", rows(schedule, "QZB,WA,E0401131,50,2026-09-30,"), {
  acceptShrink: true,
})
await decide(service.database.url, [{ holder: "QZB Holdings", asxCode: "QZB", isRight: true }])
await publishDecisions(service.database.url, silent)
const person = await signedInVisitor(service, "admin@example.com")

const ids = async (path: string) =>
  (await readList(await service.get(path))).data.map(({ id }) => id)

test("Lists and totals by company have declared tenements from their release on", async () => {
  for (const [release, expected] of [
    [before, []],
    [declared, ["T1", "T2"]],
    [ended, ["T1"]],
  ] as const) {
    expect(await ids(`/tenements?company=qzb&as_of=${release}`)).toEqual([...expected])
    expect(await ids(`/companies/QZB/tenements?as_of=${release}`)).toEqual([...expected])
    const company = await readRecord(await service.get(`/companies/QZB?as_of=${release}`))
    expect(company.total_tenements).toBe(expected.length)
  }
})

test("A copy follows declarations by its changes", async () => {
  const since = (name: string, from: number, to: number) =>
    ids(`/tenements?company=QZB&${name}=${from}&as_of=${to}`)
  expect(await since("updated_since", before, declared)).toEqual(["T1", "T2"])
  expect(await since("removed_since", declared, ended)).toEqual(["T2"])
})

test("The page of a tenement has the basis of each link, and what its company declares", async () => {
  const page = await person.read("/explore/tenements/T1")
  expect(
    cellsOf(page, "Companies").map(([company, basis, ...others]) => [
      company,
      basis?.split(" ")[0],
      ...others,
    ]),
  ).toEqual([
    ["Alpha NL (QZA)", "name", "–", "–", "–"],
    ["Alpha NL (QZA)", "subsidiary", "–", "–", "–"],
    ["Beta NL (QZB)", "confirmed", "–", "–", "–"],
    ["Beta NL (QZB)", "declared", "50%", "2026-09-30", "–"],
  ])
  const past = await person.read(`/explore/tenements/T1?as_of=${declared}`)
  expect(contentOf(past)).not.toContain("2026-09-30")
  expect(cellsOf(await person.read("/explore/tenements/T2"), "Companies")).toEqual([])
})

test("The report that declares a tenement is a link", async () => {
  await load(
    "declared-tenements",
    rows(schedule, "QZB,WA,M01/00001,12.5,2026-12-31,https://example.com/q.pdf"),
    { acceptShrink: true },
  )
  const page = await person.read("/explore/tenements/T2")
  expect(cellsOf(page, "Companies").map((cells) => cells.slice(2))).toEqual([
    ["12.5%", "2026-12-31", "Report"],
  ])
  expect(linkTo(page, "Report")).toBe("https://example.com/q.pdf")
})

test("/sources has the source of declared tenements", async () => {
  const { data } = await readList(await service.get("/sources"))
  expect(data.find(({ source }) => source === "declared-tenements")).toMatchObject({
    resource: "declared_tenements",
    records: 1,
  })
})

test("The page of a holder has the companies that declare its tenements", async () => {
  const page = await person.read("/explore/holders/somebody")
  expect(cellsOf(page, "Company")).toEqual([
    ["Beta NL (QZB)", "The company declares some of its tenements as its own"],
  ])
})
