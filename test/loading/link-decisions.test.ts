/** An operator's decision on a suggested link applies at once and to every later load. */
import { beforeEach, expect, test } from "bun:test"
import { decide, type LinkDecision, publishConfirmed } from "../../src/loading/link-decisions.ts"
import { readSuggestions } from "../../src/loading/suggested-companies.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const tenements = `id,tenement_id,state,holder_name
t1,E 1,WA,QZA PILBARA PTY LTD
t2,E 2,WA,QZA PILBARA PTY LTD; Somebody Else
t3,E 3,SA,Quarry (West) Pty Ltd
`

beforeEach(async () => {
  await bench.load(
    "companies",
    "asx_code,company_name,is_active\nQZA,Quarry Alpha Limited,true\nQZB,Quarry NL,true\n",
  )
  await bench.load("tenements", tenements)
})

const right = (holder: string, asxCode: string): LinkDecision => ({
  holder,
  asxCode,
  isRight: true,
})
const wrong = (holder: string, asxCode: string): LinkDecision => ({
  ...right(holder, asxCode),
  isRight: false,
})
const publish = () => publishConfirmed({ url: bench.url })
const suggested = async () =>
  (await readSuggestions(bench.url)).map((row) => `${row.name}: ${row.suggested_asx_code}`)
const linked = async () =>
  Object.fromEntries(
    (await bench.sql`select id, asx_codes from tenements order by id`).map(({ id, asx_codes }) => [
      id,
      asx_codes.join(" "),
    ]),
  )

test("A confirmed link adds a subsidiary of the source confirmed and links the holder's tenements", async () => {
  expect(await suggested()).toEqual(["QZA PILBARA PTY LTD: QZA", "Quarry (West) Pty Ltd: QZB"])
  await decide(bench.url, right("qza pilbara p/l", "QZA"))
  const summary = await publish()
  expect(summary?.links).toMatchObject({ linked: 2, through_subsidiaries: 2 })
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "" })
  const subsidiaries = await bench.sql`
    select id, name, parent_asx_code, country, ownership_percentage, source from subsidiaries`
  expect(Array.from(subsidiaries)).toEqual([
    {
      id: "QZA-QZA-PILBARA-PTY-LTD",
      name: "QZA PILBARA PTY LTD",
      parent_asx_code: "QZA",
      country: null,
      ownership_percentage: null,
      source: "confirmed",
    },
  ])
  expect(await suggested()).toEqual(["Quarry (West) Pty Ltd: QZB"])
})

test("A declined suggestion does not return until its holder has no tenements", async () => {
  await decide(bench.url, wrong("Quarry (West) Pty Ltd", "QZB"))
  expect(await suggested()).toEqual(["QZA PILBARA PTY LTD: QZA"])
  await bench.load("tenements", `${tenements}t4,E 4,SA,QUARRY (WEST) PTY LTD\n`)
  expect(await suggested()).toEqual(["QZA PILBARA PTY LTD: QZA"])
  await bench.load("tenements", tenements.replace("Quarry (West) Pty Ltd", "Individual"), {
    acceptShrink: true,
  })
  expect(Array.from(await bench.sql`select holder from link_decisions`)).toEqual([])
})

test("Links that were not published, as after Ctrl-C, are published with the next one", async () => {
  await decide(bench.url, right("Quarry (West) Pty Ltd", "QZB"))
  expect(await suggested()).toEqual(["QZA PILBARA PTY LTD: QZA"])
  await decide(bench.url, right("QZA PILBARA PTY LTD", "QZA"))
  await publish()
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "QZB" })
  expect((await publish())?.release).toBeNull()
})

test("Declining removes a link, and linking overrides a decline", async () => {
  await decide(bench.url, right("QZA PILBARA PTY LTD", "QZA"))
  await publish()
  const changed = { isChange: true, keptBy: null }
  expect(await decide(bench.url, wrong("QZA PILBARA PTY LTD", "QZA"))).toEqual(changed)
  await publish()
  expect(await linked()).toEqual({ t1: "", t2: "", t3: "" })
  expect(await suggested()).toEqual(["Quarry (West) Pty Ltd: QZB"])
  expect(await decide(bench.url, right("QZA PILBARA PTY LTD", "QZA"))).toEqual(changed)
  await publish()
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "" })
})

test("An operator's own file takes precedence over a confirmed subsidiary, loaded before or after", async () => {
  const sources = () => bench.sql`select id, source, ownership_percentage from subsidiaries`
  const own = "name,parent_asx_code,ownership_percentage\nQZA PILBARA PTY LTD,QZA,80\n"
  await decide(bench.url, right("QZA PILBARA PTY LTD", "QZA"))
  await publish()
  await bench.load("subsidiaries", own)
  const expected = [
    { id: "QZA-QZA-PILBARA-PTY-LTD", source: "subsidiaries", ownership_percentage: 80 },
  ]
  expect(Array.from(await sources())).toEqual(expected)
  expect((await publish())?.files[0]?.left_out).toEqual({ "already loaded from subsidiaries": 1 })
  expect(Array.from(await sources())).toEqual(expected)
})

test("A decision requires a holder of tenements and a company", async () => {
  const outcome = (decision: LinkDecision) =>
    decide(bench.url, decision).catch((error: unknown) => String(error))
  expect(await outcome(right("Nobody", "QZA"))).toContain(
    "Cannot decide whether Nobody belongs to QZA: no tenement has this holder",
  )
  expect(await outcome(right("Somebody Else", "QZX"))).toContain("no company has the code")
  expect(await publish()).toBeNull()
})
