/** Checks tables and examples of the README and the guide against the program. */
import { expect, test } from "bun:test"
import packages from "../package.json"
import { limitOf } from "../src/accounts/access/windows.ts"
import { errorTable, type Fault } from "../src/api/http/api-error.ts"
import { shownCount } from "../src/api/http/rate-limit-headers.ts"
import { paging } from "../src/api/responses/endpoint.ts"
import { plans } from "../src/data/db/account-tables.ts"
import { freeText } from "../src/data/resources/values.ts"
import { judgement, reasons } from "../src/ingest/loading/suggestions.ts"
import { loadableSources } from "../src/ingest/sources/catalogue.ts"
import type { Source } from "../src/ingest/sources/source.ts"
import { readError } from "./contract/bodies.ts"
import { apiPaths } from "./support/routes.ts"
import { serviceOfFile } from "./support/service.ts"

const pageOf = (path: string) => Bun.file(new URL(`../${path}`, import.meta.url)).text()
const readme = await pageOf("README.md")

/** The rows of the table whose first column has this heading, each as the text of its cells. */
function tableOf(page: string, heading: string): string[][] {
  const lines = page.split("\n")
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} `))
  const after = lines.slice(start + 2)
  return after
    .slice(
      0,
      after.findIndex((line) => !line.startsWith("|")),
    )
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )
}

const codeIn = (text = ""): string[] =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code)

const service = await serviceOfFile()

test("The README's table of errors has the codes and the statuses of the program", () => {
  const rows = tableOf(readme, "code").map(([code = "", status]) => [
    codeIn(code)[0],
    Number(status),
  ])
  const declared = Object.entries(errorTable).map(([code, { status }]) => [code, status])
  expect(rows).toEqual(declared)
})

test("The guide's page of errors has every code, with its status and its message", async () => {
  const page = await pageOf("src/web/guide/errors.md")
  const documented = [...page.matchAll(/^## ([A-Z_]+)\n\n(\d+), "(.*?)"/gm)].map(
    ([, code, status, message]) => [code, Number(status), message],
  )
  expect(documented).toEqual(
    Object.entries(errorTable).map(([code, { status, message }]) => [code, status, message]),
  )
})

test("The guide's example of an error is the response of the service", async () => {
  const [, example = ""] = /```json\n(.*?)```/s.exec(await pageOf("src/web/guide/errors.md")) ?? []
  expect(JSON.parse(example)).toEqual(await (await service.get("/tenements?stat=WA")).json())
})

test("The guide's page of limits has the limits of the program", async () => {
  const page = await pageOf("src/web/guide/limits.md")
  const standard = limitOf("standard", null).toLocaleString("en")
  expect(page).toContain(`\`standard\` plan may make ${standard} requests an hour`)
  const bounds = tableOf(page, "Bound").map(([name, value]) => [name, value])
  const { minimum, maximum } = paging.per_page
  expect(bounds).toEqual(
    expect.arrayContaining([
      ["`per_page`", `${minimum} to ${maximum}`],
      [expect.stringContaining("text in"), `${freeText("", "").maxLength} characters`],
      [expect.stringContaining("at once"), expect.stringContaining(`more than ${standard}:`)],
      [expect.stringContaining("exports waiting"), expect.stringContaining("more than 100:")],
      [expect.stringContaining("without a valid token"), expect.stringContaining(standard)],
    ]),
  )
})

async function faultOf(path: string, parameter: string): Promise<Fault | undefined> {
  const { details } = await readError(await service.get(`${path}?${parameter}=nope`))
  return (details?.parameters as Fault[] | undefined)?.[0]
}

test("The README's table of endpoints has every path with its parameters and their values", async () => {
  const rows = tableOf(readme, "path")
  expect(rows.map(([path]) => codeIn(path)[0])).toEqual(expect.arrayContaining(apiPaths))
  expect(rows).toHaveLength(apiPaths.length)

  const ofEveryList = /^Every list takes .*$/m.exec(readme)?.[0] ?? ""
  const common = codeIn(ofEveryList).map((code) => code.replace(/=.*/, ""))
  for (const [path = "", , parameters = ""] of rows) {
    const field = path.includes("companies") ? "sector" : "type"
    const url =
      codeIn(path)[0]
        ?.replace("{field}", field)
        .replace(/\{\w+\}/, "BIG") ?? ""
    const accepted = (await faultOf(url, "no_such_parameter"))?.allowed ?? []
    const own = accepted.filter((name) => !common.includes(name))
    const values = await Promise.all(
      own.map(async (name) =>
        ["sort", "order"].includes(name) ? ((await faultOf(url, name))?.allowed ?? []) : [],
      ),
    )
    const expected = own.flatMap((name, index) => [name, ...(values[index] ?? [])])
    expect([url, codeIn(parameters.replace(/\(.*?\)/g, ""))]).toEqual([url, expected])
  }
})

test("Every link of the README leads to an existing file and part", async () => {
  const links = [...readme.matchAll(/\]\(([^):#]*)(?:#([^)]*))?\)/g)]
  expect(links.length).toBeGreaterThan(5)
  for (const [link, path = "", part] of links) {
    const file = Bun.file(new URL(`../${path || "README.md"}`, import.meta.url))
    expect([link, await file.exists()]).toEqual([link, true])
    if (part !== undefined) {
      const html = Bun.markdown.html(await file.text(), { headings: { ids: true } })
      expect([link, html.includes(` id="${part}"`)]).toEqual([link, true])
    }
  }
})

test("Every file in the guide's path of a request exists", async () => {
  const rows = tableOf(await pageOf("src/web/guide/architecture.md"), "Step")
  const files = rows.flatMap((row) => codeIn(row.join(" "))).filter((code) => code.endsWith(".ts"))
  expect(files.length).toBeGreaterThan(15)
  const found = [
    ...new Bun.Glob("**/*.ts").scanSync(Bun.fileURLToPath(new URL("../src", import.meta.url))),
  ]
  expect(files.filter((file) => !found.some((path) => path.endsWith(file)))).toEqual([])
})

/** The names of fields and the types of values, in their order. */
const shapeOf = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(shapeOf)
    : value !== null && typeof value === "object"
      ? Object.entries(value).map(([name, field]) => [name, shapeOf(field)])
      : typeof value

test("The README's example is the request of quickstart, and a response except for its values", async () => {
  const [, path = ""] = /curl .*"http:\/\/[^/]+\/api\/v1([^"]+)"/.exec(readme) ?? []
  expect(await pageOf("src/sample/quickstart.ts")).toContain(`"\${url}/api/v1${path}"`)
  const [example = ""] = /^\{"data":.*$/m.exec(readme) ?? []
  const response = await service.get(path)
  expect(shapeOf(JSON.parse(example))).toEqual(shapeOf(await response.json()))
})

test("The guide's table of sources has every source, and the effect on missing records", async () => {
  const documented = tableOf(await pageOf("src/web/guide/load.md"), "Source").flatMap(
    ([cell = "", , missing]) => codeIn(cell).map((name) => [name, missing]),
  )
  const fate = ({ deactivatesMissing, removesMissingAtOnce }: Source) =>
    `${deactivatesMissing ? "become inactive" : "are removed"} ${removesMissingAtOnce ? "at once" : "when confirmed"}`
  const declared = loadableSources.map((source) => [
    source.name,
    source.complete ? fate(source) : "stay",
  ])
  expect(documented.sort()).toEqual(declared.sort())
})

test("The guide's table of reasons has the figures of the commands", async () => {
  const rows = tableOf(await pageOf("src/web/guide/holders.md"), "reason")
  const declared = reasons.map((reason) => [reason, judgement(reason)])
  expect(rows.map(([reason, , right]) => [reason, `right in ${right}`])).toEqual(declared)
})

test("The guide's table of plans has every plan and its limit", async () => {
  const rows = tableOf(await pageOf("src/web/guide/accounts.md"), "Plan")
  const limits = {
    standard: limitOf("standard", null).toLocaleString("en"),
    enterprise: "set per account",
    admin: `unlimited, written as ${shownCount(limitOf("admin", null))} in headers`,
  }
  expect(rows).toEqual(plans.map((plan) => [`\`${plan}\``, limits[plan]]))
})

test("The guide's tables of faults and figures name tests and benchmarks that exist", async () => {
  const faults = tableOf(await pageOf("src/web/guide/scale.md"), "Event")
  const figures = tableOf(await pageOf("src/web/guide/benchmarks.md"), "Work")
  const files = faults.flatMap(([, , cell]) => codeIn(cell))
  expect(Math.min(files.length, figures.length)).toBeGreaterThan(5)
  for (const path of files)
    expect([path, await Bun.file(`${import.meta.dir}/${path}`).exists()]).toEqual([path, true])
  const { stdout } = Bun.spawnSync([
    process.execPath,
    `${import.meta.dir}/bench/bench.ts`,
    "--list",
  ])
  const rows = stdout
    .toString()
    .split("\n")
    .map((line) => line.split(" ")[0])
  expect(rows).toEqual(
    expect.arrayContaining(figures.flatMap(([work]) => codeIn(work).slice(0, 1))),
  )
})

test("The guide's table of dependencies has every package, and no other", async () => {
  const rows = tableOf(await pageOf("src/web/guide/architecture.md"), "Package")
  const patterns = rows.flatMap(([cell]) => codeIn(cell))
  const { dependencies, devDependencies, optionalDependencies } = packages
  const names = Object.keys({ ...dependencies, ...devDependencies, ...optionalDependencies })
  const isOf = (name: string) => (pattern: string) => new Bun.Glob(pattern).match(name)
  expect(names.filter((name) => !patterns.some(isOf(name)))).toEqual([])
  expect(patterns.filter((pattern) => !names.some((name) => isOf(name)(pattern)))).toEqual([])
})
