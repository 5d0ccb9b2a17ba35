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
// An ending and an appearance count after six days of agreement.
for (const day of ["2026-01-02", "2026-01-04", "2026-01-10"]) await load(day, ...others)

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await bench.run(["companies", ...args])
  return { code, text: (code === 0 ? stdout : stderr).trimEnd() }
}

test("Proposed successors are listed, and one is declined", async () => {
  const { text: table } = await run("successors")
  const former = "QZA | Quarry Alpha Limited | 2026-01-02T00:00:00Z"
  expect(table.replaceAll(/ {2,}/g, " | ").split("\n")).toEqual([
    "predecessor | former company | missing since | successor | company | appeared at | listing date | successor date",
    `${former} | QZN | Renamed Limited | 2026-01-02T00:00:00Z | 2018-09-12 | 2018-09-12`,
    `${former} | QZO | Strangers Limited | 2026-01-02T00:00:00Z | 2018-09-12 | 2018-09-12`,
  ])
  expect(await run("decline", "qza", "qzo")).toEqual({
    code: 0,
    text: "QZO is no longer proposed for QZA",
  })
})
