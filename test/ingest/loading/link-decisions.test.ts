/** An operator's decision on a link stays until it is changed, and counts from the next release on. */
import { beforeEach, expect, test } from "bun:test"
import {
  decide as decideAll,
  type LinkDecision,
  publishDecisions,
  readDecisions,
} from "../../../src/ingest/loading/link-decisions.ts"
import { silent } from "../../../src/ingest/loading/progress.ts"
import { readSuggestions } from "../../../src/ingest/loading/suggested-companies.ts"
import { benchOfFile } from "./workbench.ts"

const bench = await benchOfFile()

const tenements = `id,tenement_id,state,holder_name
t1,E 1,WA,QZA PILBARA PTY LTD
t2,E 2,WA,QZA PILBARA PTY LTD; Somebody Else
t3,E 3,SA,Quarry (West) Pty Ltd
`

beforeEach(async () => {
  await bench.companies("QZA,QZA Pilbara Holdings Limited,true", "QZB,Quarry NL,true")
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
const decide = async (...decisions: LinkDecision[]) => await decideAll(bench.url, decisions)
const publish = async () => (await publishDecisions(bench.url, silent)).value
const decided = async () =>
  (await readDecisions(bench.url)).map((row) => Object.values(row).join(" | "))
const suggested = async () =>
  (await readSuggestions(bench.url)).map((row) => `${row.name}: ${row.suggested_asx_code}`)
const { linked } = bench

test("A confirmed link links the holder's tenements and adds no subsidiary", async () => {
  expect(await suggested()).toEqual(["QZA PILBARA PTY LTD: QZA", "Quarry (West) Pty Ltd: QZB"])
  await decide(right("qza pilbara p/l", "QZA"))
  const published = await publish()
  expect(published?.links).toMatchObject({ linked: 2, changed: { tenements: 2, companies: 1 } })
  expect(published?.release).toBe(await bench.releases())
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "" })
  expect(Array.from(await bench.sql`select id from subsidiaries`)).toEqual([])
  expect(
    Array.from(
      await bench.sql`select basis from link_keys where key <> all (select name_key from companies)`,
    ),
  ).toEqual([{ basis: "confirmed" }])
  expect(await suggested()).toEqual(["Quarry (West) Pty Ltd: QZB"])
})

test("Decisions stay while their holders have no tenements, and can be changed then", async () => {
  await decide(right("QZA PILBARA PTY LTD", "QZA"), wrong("Quarry (West) Pty Ltd", "QZB"))
  await publish()
  const others = "id,tenement_id,state,holder_name\nt1,E 1,WA,Somebody Else\n"
  await bench.load("tenements", others, { acceptShrink: true })
  expect(await decided()).toEqual([
    "QZA | QZA PILBARA PTY LTD | linked | 0",
    "QZB | Quarry (West) Pty Ltd | declined | 0",
  ])
  await bench.load("tenements", tenements)
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "" })
  expect(await suggested()).toEqual([])
  await bench.load("tenements", others, { acceptShrink: true })
  const [undone] = await decide(wrong("QZA PILBARA PTY LTD", "QZA"))
  expect(undone).toEqual({ isChange: true, keptBy: null })
  expect(await publish()).toBeNull()
  await bench.load("tenements", tenements)
  expect(await linked()).toEqual({ t1: "", t2: "", t3: "" })
})

test("A decision on a company that is no longer stored can be changed", async () => {
  await decide(right("Somebody Else", "QZB"))
  await publish()
  await bench.companies("QZA,Quarry Alpha Limited,true")
  await decide(wrong("Somebody Else", "QZB"))
  expect(await decided()).toEqual(["QZB | Somebody Else | declined | 1"])
})

test("A repeated decision changes links until a release has published it", async () => {
  await decide(right("QZA PILBARA PTY LTD", "QZA"))
  await publish()
  const decline = async () => (await decide(wrong("QZA PILBARA PTY LTD", "QZA")))[0]?.isChange
  expect([await decline(), await decline()]).toEqual([true, true])
  await publish()
  expect(await linked()).toEqual({ t1: "", t2: "", t3: "" })
  expect(await decline()).toBe(false)
})

test("Many decisions are one release, and none is stored if one is refused", async () => {
  const decisions = [right("QZA PILBARA PTY LTD", "QZA"), right("Quarry (West) Pty Ltd", "QZB")]
  const refused = decide(...decisions, right("Nobody", "QZA")).catch(String)
  expect(await refused).toContain("Cannot decide whether Nobody belongs to QZA")
  expect(await decided()).toEqual([])
  const before = await bench.releases()
  await decide(...decisions)
  await publish()
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "QZB" })
  expect(await bench.releases()).toBe(before + 1)
})

test("A confirmed holder is a known name: former names yield to it, and its words are suggested", async () => {
  await bench.companies("QZA,Quarry Beta Limited,true", "QZB,Quarry NL,true")
  await bench.holders(
    "QZA Pilbara Holdings Limited",
    "Zircon Tailings Pty Ltd",
    "Zircon Tailings (West) Pty Ltd",
  )
  expect((await linked()).t0).toBe("QZA")
  expect((await suggested()).filter((text) => text.startsWith("Zircon"))).toEqual([])
  await decide(
    right("QZA Pilbara Holdings Limited", "QZB"),
    right("Zircon Tailings Pty Ltd", "QZB"),
  )
  await publish()
  expect(await linked()).toEqual({ t0: "QZB", t1: "QZB", t2: "" })
  expect(await suggested()).toEqual(["Zircon Tailings (West) Pty Ltd: QZB"])
})

test("Decisions that were not published, as after Ctrl-C, are published with the next release of links", async () => {
  await decide(right("Quarry (West) Pty Ltd", "QZB"))
  expect(await suggested()).toEqual(["QZA PILBARA PTY LTD: QZA"])
  await bench.load("tenements", tenements.replace("Somebody Else", "Somebody"))
  expect(await linked()).toEqual({ t1: "", t2: "", t3: "QZB" })
  expect(await publish()).toBeNull()
})

test("Declining removes a link, and linking overrides a decline", async () => {
  await decide(right("QZA PILBARA PTY LTD", "QZA"))
  await publish()
  const changed = [{ isChange: true, keptBy: null }]
  expect(await decide(wrong("QZA PILBARA PTY LTD", "QZA"))).toEqual(changed)
  await publish()
  expect(await linked()).toEqual({ t1: "", t2: "", t3: "" })
  expect(await suggested()).toEqual(["Quarry (West) Pty Ltd: QZB"])
  expect(await decide(right("QZA PILBARA PTY LTD", "QZA"))).toEqual(changed)
  await publish()
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "" })
})

test("A holder that an operator's own file has too stays linked when the decision ends", async () => {
  await decide(right("QZA PILBARA PTY LTD", "QZA"))
  await publish()
  await bench.load("subsidiaries", "name,parent_asx_code\nQZA PILBARA PTY LTD,QZA\n")
  const outcome = { isChange: true, keptBy: "subsidiaries" }
  expect(await decide(wrong("QZA PILBARA PTY LTD", "QZA"))).toEqual([outcome])
  expect(await publish()).toBeNull()
  expect(await linked()).toEqual({ t1: "QZA", t2: "QZA", t3: "" })
})

test("A decision requires a holder of tenements and a company", async () => {
  const outcome = (decision: LinkDecision) =>
    decide(decision).catch((error: unknown) => String(error))
  expect(await outcome(right("Nobody", "QZA"))).toContain(
    "Cannot decide whether Nobody belongs to QZA: no tenement has this holder",
  )
  expect(await outcome(right("Somebody Else", "QZX"))).toContain("no company has the code")
  expect(await publish()).toBeNull()
})
