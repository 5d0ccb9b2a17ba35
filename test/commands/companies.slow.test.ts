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
