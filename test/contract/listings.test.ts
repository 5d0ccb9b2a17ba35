/**
 * A company under several codes has its tenements under the ordinary share's; the other codes are
 * companies like any other, without tenements of their own. A renamed company keeps its tenements.
 */

import { expect, test } from "bun:test"
import { fileLoader } from "../ingest/loading/file-loader.ts"
import { none } from "../support/fixtures.ts"
import { serviceOfFile } from "../support/service.ts"
import { linkTo } from "../web/pages/page-reader.ts"
import { signedInVisitor } from "../web/pages/visitor.ts"
import { readList, readRecord } from "./bodies.ts"

const directory = "asx_code,company_name,is_active"
const register = "id,tenement_id,state,holder_name"
/** One release each; release 1 is empty. */
const loads: [source: string, ...rows: string[]][] = [
  ["companies", directory, "QZM,Quarry Twin NL,true", "QZMCA,Quarry Twin NL,true"],
  ["tenements", register, "T1,E1/1,WA,QUARRY TWIN NL", "T2,E1/2,WA,Twin Pits Pty Ltd"],
  ["subsidiaries", "id,name,parent_asx_code", "S1,Twin Pits Pty Ltd,QZMCA"],
  ["companies", directory, "QZM,Renamed NL,true", "QZMCA,Renamed NL,true"],
  ["companies", directory, "QZM,Renamed NL,true", "QZMCA,Renamed NL,false", "QZN,Nil,true"],
]
const [listed, withTenements, , renamed, optionsGone] = [2, 3, 4, 5, 6]

const service = await serviceOfFile({ records: none })
const load = fileLoader(service)
for (const [source, ...rows] of loads) await load(source, { "rows.csv": rows })
const person = await signedInVisitor(service, "admin@example.com")

const tenementsOf = async (code: string, release: number) => {
  const path = `/companies/${code}`
  const company = await readRecord(await service.get(`${path}?as_of=${release}`))
  const { data, meta } = await readList(await service.get(`${path}/tenements?as_of=${release}`))
  expect(company.total_tenements).toBe(meta.total)
  return data.map(({ id }) => id)
}

test.each([
  [listed, [], []],
  [withTenements, ["T1"], []],
  [renamed, ["T1", "T2"], []],
  [optionsGone, ["T1", "T2"], []],
])(
  "At release %d the tenements are the ordinary share's: %j",
  async (release, ordinary, options) => {
    expect([await tenementsOf("QZM", release), await tenementsOf("QZMCA", release)]).toEqual([
      ordinary,
      options,
    ])
  },
)

test("A former name is shown as of its releases and links afterwards", async () => {
  const names = await Promise.all(
    [withTenements, renamed].map(async (release) => {
      const record = await readRecord(await service.get(`/companies/QZM?as_of=${release}`))
      return record.company_name
    }),
  )
  expect(names).toEqual(["Quarry Twin NL", "Renamed NL"])
  const changed = await readList(await service.get(`/tenements?updated_since=${renamed - 1}`))
  expect(changed.data).toEqual([])
})

test("A secondary listing is found by its code and by its name", async () => {
  for (const search of ["qzmca", "renamed"]) {
    const { data } = await readList(
      await service.get(`/companies?search=${search}&as_of=${renamed}`),
    )
    expect(data.map(({ asx_code }) => asx_code)).toContain("QZMCA")
  }
})

test.each([renamed, optionsGone])(
  "The page at release %d names the company of the listing, and links to it",
  async (release) => {
    const page = await person.read(`/explore/companies/QZMCA?as_of=${release}`)
    expect(page).toMatch(
      /A secondary listing of <a [^>]*>QZM<\/a>, which has the company’s tenements\./,
    )
    expect(linkTo(page, "QZM")).toBe(`/explore/companies/QZM?as_of=${release}`)
    expect(page).not.toContain("Not matched to any holder yet: no tenement")
  },
)

test("A company without tenements and with a unique name is not a secondary listing", async () => {
  expect(await person.read("/explore/companies/QZN")).toContain(
    "Not matched to any holder yet: no tenement",
  )
  const before = await person.read(`/explore/companies/QZMCA?as_of=${listed}`)
  expect(before).toContain("Not matched to any holder yet: no tenement")
})
