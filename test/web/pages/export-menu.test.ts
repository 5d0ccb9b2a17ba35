/** The lines of "Export" get from the API exactly what the page shows. */
import { describe, expect, test } from "bun:test"
import { $ } from "bun"
import { parquetReadObjects } from "hyparquet"
import { canonicalQuery } from "../../../src/api/http/query-string.ts"
import { companies } from "../../../src/data/resources/companies.ts"
import { reports } from "../../../src/data/resources/reports.ts"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { exportMenu } from "../../../src/web/pages/explore/export/export-menu.ts"
import {
  type ApiView,
  listSnippets,
  powerQueryLiteral,
  recordSnippets,
} from "../../../src/web/pages/explore/export/snippets.ts"
import { tokenPlaceholder } from "../../../src/web/pages/kit/components.ts"
import { readRecord } from "../../contract/bodies.ts"
import { awkward } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"

const nastyHolder = `O'Brien's "Quoted" \\ $HOME \`id\` $(id) 100% %41 #(lf) [a-z]{2} é😀 &=+?#;!*~()`

const [first, ...others] = awkward.tenements
if (!first) throw new Error("No tenements")
const service = await serviceOfFile({
  records: {
    ...awkward,
    tenements: [{ ...first, holder_name: `${nastyHolder} Pty Ltd` }, ...others],
  },
})

const view = (
  path: string,
  resource: ApiView["resource"],
  query: Record<string, unknown> = {},
): ApiView => ({
  baseUrl: service.url,
  path: `/api/v1${path}`,
  query: canonicalQuery(query, {}),
  resource,
})

const views: [string, () => ApiView][] = [
  ["all companies", () => view("/companies", companies)],
  [
    "a page of reports",
    () => view("/reports", reports, { per_page: 2, page: 2, type: "Drilling" }),
  ],
  ["a search for anything", () => view("/tenements", tenements, { holder: nastyHolder, as_of: 1 })],
  ["a company's tenements", () => view("/companies/BIG/tenements", tenements, { state: "WA" })],
  ["chosen columns", () => view("/tenements", tenements, { fields: "id,asx_codes" })],
]

const line = (
  of: ApiView,
  id: string,
  token = service.tokens.admin,
  snippets = listSnippets,
): string => {
  const code = snippets.find((each) => each.id === id)?.code(of)
  if (code === undefined) throw new Error(`No ${id}`)
  expect(code.split(tokenPlaceholder).length - 1).toBe(id === "excel" || id === "address" ? 0 : 1)
  return code.replace(tokenPlaceholder, token)
}

const queryText = ({ query }: ApiView) =>
  new URLSearchParams(query.map(([...pair]) => pair)).toString()
const pathOf = ({ path }: ApiView) => path.slice("/api/v1".length)

/** The responses of the API for the page, and for every row. */
const asPage = async (of: ApiView) => (await service.get(`${pathOf(of)}?${queryText(of)}`)).text()
async function asExport(of: ApiView, added: Record<string, string> = {}): Promise<string> {
  const query = new URLSearchParams(queryText(of))
  query.delete("page")
  query.delete("per_page")
  for (const [name, value] of Object.entries({ format: "csv", all: "true", ...added })) {
    query.set(name, value)
  }
  const response = await service.get(`${pathOf(of)}?${query}`)
  expect(response.status).toBe(200)
  return response.text()
}
const rowsIn = (file: ArrayBuffer) => parquetReadObjects({ file })

async function exportedRows(of: ApiView) {
  const path = `${pathOf(withoutPages(of))}?${queryText(withoutPages(of))}&format=parquet&all=true`
  return rowsIn(await (await service.get(path)).arrayBuffer())
}
const withoutPages = (of: ApiView): ApiView => ({
  ...of,
  query: of.query.filter(([name]) => name !== "page" && name !== "per_page"),
})
const unguarded = { formula_guard: "false" }

/** Without a header, as spreadsheets ask. */
const fetched = async (url: string) => {
  const response = await fetch(url)
  expect([url, response.status]).toEqual([url, 200])
  return response.text()
}

describe.each(views)("%s", (_, of) => {
  test("The curl line prints the rows of the page", async () => {
    const printed = await $`bash -c ${line(of(), "curl")}`.text()
    expect(printed).toBe(await asPage(of()))
    expect(JSON.parse(printed).data.length).toBeGreaterThan(0)
  })

  test("The formula of Google Sheets imports every row", async () => {
    const [, literal = ""] = /^=IMPORTDATA\("([^"']*)"\)$/.exec(line(of(), "sheets")) ?? []
    expect(await fetched(literal)).toBe(await asExport(of()))
  })

  test("Power Query requests every row, gives each column its type, and keeps the token out of the query", async () => {
    const code = line(of(), "excel")
    const [, base = ""] = /Web\.Contents\(\s*("[^\n]*"),\n/.exec(code) ?? []
    const [, path = ""] = /RelativePath = (".*"),\n/.exec(code) ?? []
    const [, fields = ""] = /Query = \[(.*)\],\n/.exec(code) ?? []
    const url = new URL(`${readPowerQueryText(base)}/${readPowerQueryText(path)}`)
    for (const [, name = "", value = ""] of fields.matchAll(
      /#("(?:[^"]|"")*") = ("(?:[^"]|"")*")/g,
    )) {
      url.searchParams.set(readPowerQueryText(name), readPowerQueryText(value))
    }
    url.searchParams.set(/ApiKeyName = "(\w+)"/.exec(code)?.[1] ?? "", service.tokens.admin)
    const rows = await fetched(url.href)
    expect(rows).toBe(await asExport(of(), unguarded))
    const typed = [...code.matchAll(/\{"(\w+)", /g)].map(([, name]) => name)
    expect(rows).toStartWith(`${typed}\r\n`)
    expect(code).not.toContain("mds_")
  })

  test("The sample for pandas requests every row with the header", async () => {
    // The calls themselves, made with Python's own library: pandas passes both on to it.
    const program = `
import ast, sys, urllib.request
calls = [node for node in ast.walk(ast.parse(sys.argv[1])) if isinstance(node, ast.Call)]
call = next(each for each in calls if ast.unparse(each.func) == "pd.read_parquet")
[headers] = [ast.literal_eval(each.value) for each in call.keywords if each.arg != 'dtype_backend']
request = urllib.request.Request(ast.literal_eval(call.args[0]), headers=headers)
sys.stdout.buffer.write(urllib.request.urlopen(request).read())`
    const printed = await $`python3 -c ${program} ${line(of(), "python")}`.arrayBuffer()
    expect(await rowsIn(printed)).toEqual(await exportedRows(of()))
  })

  test("R requests every row with the header", async () => {
    const code = line(of(), "r")
    const headers = { Authorization: `Bearer ${service.tokens.admin}` }
    expect(code).toContain(`headers = c(Authorization = "${headers.Authorization}")`)
    const [, url = ""] = /download\.file\(\s*"([^"\\]*)"/.exec(code) ?? []
    const response = await fetch(url, { headers })
    expect(await rowsIn(await response.arrayBuffer())).toEqual(await exportedRows(of()))
  })

  test("The URL returns the rows of the page", async () => {
    const headers = { Authorization: `Bearer ${service.tokens.admin}` }
    expect(await (await fetch(line(of(), "address"), { headers })).text()).toBe(await asPage(of()))
  })
})

test("The page warns before the download of an export that a spreadsheet may reject", () => {
  const warns = (rows: number, bytes: number) =>
    exportMenu(null, { href: "/a.csv", rows, bytes, hasTimes: true }).text.includes("may reject")
  expect([warns(9_130, 738_000), warns(584_804, 122e6)]).toEqual([false, true])
})

test("No key of a record can end a quoted text in a program", () => {
  const hostile = view("/tenements/O'Brien'$(id)\"", tenements)
  expect(line(hostile, "address")).toEndWith("/tenements/O%27Brien%27$%28id%29%22")
  expect(line(hostile, "curl").split("'")).toHaveLength(5)
})

test("The curl line of a record's page prints the record as JSON", async () => {
  const big = view("/companies/BIG", companies, { as_of: 1 })
  const curl = line(big, "curl", service.tokens.admin, recordSnippets)
  const expected = { data: await readRecord(await service.get("/companies/BIG?as_of=1")) }
  expect(JSON.parse(await $`bash -c ${curl}`.text())).toEqual(expected)
})

const powerQueryEscapes: Readonly<Record<string, string>> = {
  cr: "\r",
  lf: "\n",
  tab: "\t",
  "#": "#",
}

/** By the grammar of M: within quotes, a quote is written twice, and `#(…)` as a list of escapes. A line cannot end in it. */
function readPowerQueryText(literal: string): string {
  if (!/^"(?:[^"\r\n]|"")*"$/.test(literal)) throw new Error(`Not one text: ${literal}`)
  const text = literal.slice(1, -1).replaceAll('""', '"')
  return text.replace(/#\(([^)]*)\)/g, (_, names: string) =>
    names
      .split(",")
      .map((name) => {
        const character = powerQueryEscapes[name]
        if (character === undefined) throw new Error(`An unknown escape: ${name}`)
        return character
      })
      .join(""),
  )
}

const nasty = [
  "",
  "plain",
  `O'Brien's "Quoted" \\ Back\\\\slash`,
  "$HOME `id` $(id) !! *",
  "100% %41 %0A %s",
  "two\nlines\r\nand\ttabs",
  "#(lf) #(#)(cr) ## (",
  "\\n \\t \\u0041 \\x41 {0} {{x}}",
  '"); import os; os.system("id")  #',
  "Métaux précieux 😀 ΛΟΓΟΣ \u2028 \u00a0",
  "'; rm -rf nothing; '",
  "''\"\"''",
]

test.each(nasty)("Power Query reads %j", (text) => {
  expect(readPowerQueryText(powerQueryLiteral(text))).toBe(text)
})
