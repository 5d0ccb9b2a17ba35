/** Requests know the codes that are loaded: no temporary ones. A code that has ended names its successor. */
import { expect, test } from "bun:test"
import { silent } from "../../src/ingest/loading/progress.ts"
import { decideSuccessors } from "../../src/ingest/loading/successors.ts"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { leadOf } from "../web/pages/page-reader.ts"
import { signedInVisitor } from "../web/pages/visitor.ts"
import { readList, readRecord } from "./bodies.ts"

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)

const directory = (day: number, ...rows: string[]) =>
  load(
    "asx-directory",
    {
      "rows.csv": [
        "ASX code,Company name,GICs industry group,Listing date,Market Cap",
        ...rows,
        "QZC,QUARRY GAMMA NL,Energy,01/02/2003,5",
      ],
    },
    { acceptShrink: true, observed: `2026-02-${String(day).padStart(2, "0")}` },
  )
const company = (code: string) => `${code},QUARRY ALPHA LIMITED,Materials,12/09/2018,7`

await directory(1, company("QZA"), "QZB,QUARRY BETA NL,Energy,03/04/2005,5")
await directory(2, company("QZADB"), "QZB,QUARRY BETA NL,Energy,03/04/2005,5")
await load("reports", {
  "rows.csv": ["hash,asx_code,title,published_at", "r1,QZA,Report,2026-01-02T03:04:05Z"],
})
const person = await signedInVisitor(service, "admin@example.com")

test("A temporary code is an unknown company in paths, and matches nothing as a filter", async () => {
  expect(await readRecord(await service.get("/companies/QZA"))).toMatchObject({ is_active: true })
  for (const path of ["", "/history", "/reports", "/tenements", "/subsidiaries"]) {
    expect((await service.get(`/companies/QZADB${path}`)).status).toBe(404)
  }
  for (const list of [
    "/reports?company=QZADB",
    "/tenements?company=QZADB",
    "/companies?search=QZADB",
  ]) {
    expect((await readList(await service.get(list))).meta.total).toBe(0)
  }
  expect((await readList(await service.get("/reports?company=QZA"))).meta.total).toBe(1)
})

test("The history of a company that changed its code names its successor, and so does its page", async () => {
  await directory(7, company("QZA"), "QZB,QUARRY BETA NL,Energy,03/04/2005,5")
  for (const day of [8, 9, 11, 14]) {
    await directory(day, company("QZA"), `QZN,QUARRY BETA NL,Energy,03/04/2005,${day}`)
  }
  const decided = { predecessor: "QZB", successor: "QZN", isRight: true }
  await decideSuccessors(service.database.url, [decided], silent)
  const { data } = await readList(await service.get("/companies/QZB/history"))
  expect(data.slice(0, 3)).toMatchObject([
    { is_active: false, successor: "QZN", changed: "successor" },
    { is_active: false, successor: null, changed: "is_active" },
    { is_active: true, successor: null },
  ])
  expect(leadOf(await person.read("/explore/companies/QZB"))).toMatch(
    /^Listed as QZB, now QZN, at release/,
  )
})
