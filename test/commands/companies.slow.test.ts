/** An operator lists and confirms companies that changed their codes. */
import { expect, test } from "bun:test"
import { commandWorkbench } from "./command-workbench.ts"

const header = "ASX code,Company name,GICs industry group,Listing date,Market Cap"
const load = (observed: string, ...rows: string[]) =>
  bench.load("asx-directory", `${[header, ...rows].join("\n")}\n`, { acceptShrink: true, observed })

const bench = await commandWorkbench()
await load("2026-01-01", "QZA,Quarry Alpha Limited,Materials,12/09/2018,1")
const others = ["QZN,Renamed Limited", "QZO,Strangers Limited"].map(
  (company) => `${company},Materials,12/09/2018,1`,
)
for (const day of ["2026-01-02", "2026-01-04"]) await load(day, ...others)

const run = async (...args: string[]) => {
  const { code, stdout, stderr } = await bench.run(["companies", ...args])
  return { code, text: (code === 0 ? stdout : stderr).trimEnd() }
}

test("proposed successors are listed, declined and confirmed", async () => {
  const { text: table } = await run("successors")
  const former = "QZA | Quarry Alpha Limited | 2026-01-02T00:00:00Z"
  expect(table.replaceAll(/ {2,}/g, " | ").split("\n")).toEqual([
    "predecessor | former company | missing since | successor | company | appeared at | listing date",
    `${former} | QZN | Renamed Limited | 2026-01-02T00:00:00Z | 2018-09-12`,
    `${former} | QZO | Strangers Limited | 2026-01-02T00:00:00Z | 2018-09-12`,
  ])
  expect(await run("decline", "qza", "qzo")).toEqual({
    code: 0,
    text: "QZO is no longer proposed for QZA",
  })
  expect(await run("confirm", "QZA", "QZN")).toEqual({
    code: 0,
    text: "Published as release 4: QZA was succeeded by QZN",
  })
  expect((await run("successors")).text).toBe("none")
  expect(await run("decline", "QZA", "QZN")).toEqual({
    code: 0,
    text: "Published as release 5: QZA was not succeeded by QZN",
  })
  expect(await run("confirm", "QZA", "QZO")).toEqual({
    code: 0,
    text: "Published as release 6: QZA was succeeded by QZO",
  })
  expect(await run("confirm", "qza", "qzo")).toEqual({
    code: 1,
    text: "Cannot decide whether QZO is the successor of QZA: `mds companies successors` lists no such pair",
  })
})
