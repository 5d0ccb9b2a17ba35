/** An operator lists and confirms companies that changed their codes. */
import { expect, test } from "bun:test"
import { commandWorkbench } from "./command-workbench.ts"

const header = "ASX code,Company name,GICs industry group,Listing date,Market Cap"
const load = (observed: string, ...rows: string[]) =>
  bench.load("asx-directory", `${[header, ...rows].join("\n")}\n`, { acceptShrink: true, observed })

const bench = await commandWorkbench()
for (const day of ["2025-12-20", "2026-01-01"]) {
  await load(day, "QZA,Quarry Alpha Limited,Materials,12/09/2018,1")
}
const others = ["QZN,Renamed Limited", "QZO,Strangers Limited"].map(
  (company) => `${company},Materials,12/09/2018,1`,
)
// A new code counts after six days.
for (const day of ["2026-01-02", "2026-01-04", "2026-01-10"]) await load(day, ...others)

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await bench.run(["companies", ...args])
  return { code, text: (code === 0 ? stdout : stderr).trimEnd() }
}

test("Proposed successors are listed, and those without a second candidate confirmed after one question", async () => {
  const confirmAll = ["confirm", "--same-date"]
  expect((await run(...confirmAll)).text).toBe("none")
  const { text: table } = await run("successors")
  const former = "QZA | Quarry Alpha Limited | 2026-01-01"
  expect(table.replaceAll(/ {2,}/g, " | ").split("\n")).toEqual([
    "predecessor | former company | last day | successor | company | first day | listing date | is only",
    `${former} | QZN | Renamed Limited | 2026-01-02 | 2018-09-12 | false`,
    `${former} | QZO | Strangers Limited | 2026-01-02 | 2018-09-12 | false`,
  ])
  expect(await run("decline", "qza", "qzo")).toEqual({
    code: 0,
    text: "No link changed: nothing was published. QZA was not succeeded by QZO",
  })
  const question = "Confirm 1 pair? y (yes, all), Enter (no)"
  expect((await run(...confirmAll)).text).toEndWith(question)
  const { stdout } = await bench.run(["companies", ...confirmAll], { stdin: new Blob(["y\n"]) })
  expect(stdout).toEndWith(`${question}\nPublished as release 4: QZA was succeeded by QZN\n`)
  expect((await run("confirm", "QZA")).text).toContain(
    "Name an ended code and its successor, or give --same-date without codes",
  )
})

test("Review shows each pair with its evidence, unlikely ones last, stores each decision, and publishes at the end", async () => {
  const row = (company: string) => `${company},Materials,15/10/2019,1`
  const [ended, likely, early] = ["QZG,Gamma Limited", "QZP,Pi Limited", "QZQ,Chi Limited"].map(row)
  await load("2026-01-20", ...others, `${ended}`)
  await load("2026-01-26", ...others, `${ended}`, `${early}`)
  for (const day of ["2026-01-27", "2026-02-04"])
    await load(day, ...others, `${early}`, `${likely}`)
  await bench.load(
    "tenements",
    "id,tenement_id,state,holder_name\nt1,E 1,WA,GAMMA LTD\nt2,E 2,WA,GAMMA LTD\n",
  )
  await bench.load(
    "reports",
    "hash,asx_code,title,published_at\nr1,QZG,Change of code,2026-01-25T20:00:00Z\nr2,QZP,Drilling,2026-02-01T00:00:00Z\n",
  )
  const review = (replies: string) =>
    bench.run(["companies", "review"], { stdin: new Blob([replies]) })
  const first = [
    "1 of 2: Gamma Limited to Pi Limited",
    "  for: listing dates: 2019-10-15, 2019-10-15",
    "  for: QZG was listed until 2026-01-26, QZP from 2026-01-27",
    "  for: last announcements: QZG 2026-01-26 Change of code; QZP 2026-02-01 Drilling",
    "  against: name of both: none",
    "  against: other codes of the same listing date: QZQ",
    "  tenements that would move: 2",
    "Did QZG become QZP? y (yes), n (no), q (end and publish), Enter (later)",
  ].join("\n")
  const later = await review("\nn\n")
  expect(later.stdout).toBe(
    [
      first,
      "2 of 2: Gamma Limited to Chi Limited",
      "  for: listing dates: 2019-10-15, 2019-10-15",
      "  for: last announcements: QZG 2026-01-26 Change of code; QZQ none",
      "  against: name of both: none",
      "  against: QZG was listed until 2026-01-26, QZQ from 2026-01-26",
      "  against: other codes of the same listing date: QZP",
      "  tenements that would move: 2",
      "Did QZG become QZQ? y (yes), n (no), q (end and publish), Enter (later)",
      "No link changed: nothing was published",
      "",
    ].join("\n"),
  )
  expect((await run("successors")).text).not.toContain("QZQ")
  await bench.sql`delete from successor_decisions where successor = 'QZQ'`
  const { code, stdout } = await review("y\n")
  expect(code).toBe(0)
  expect(stdout).toMatch(/Enter \(later\)\nPublished as release \d+: 1 successor linked\n$/)
  expect(stdout.split("\n").slice(0, 8).join("\n")).toBe(first)
  const linked = await bench.sql`select asx_codes from tenements`
  expect(linked.map(({ asx_codes }) => asx_codes.join())).toEqual(["QZP", "QZP"])
})
