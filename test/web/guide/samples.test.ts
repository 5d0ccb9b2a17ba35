/** Runs the code of the guide against the service. */

import { describe, expect, test } from "bun:test"
import { companies } from "../../../src/data/resources/companies.ts"
import { fieldNames } from "../../../src/data/resources/resource.ts"
import { tenements } from "../../../src/data/resources/tenements.ts"
import { sampleFixtures } from "../../support/fixtures.ts"
import { serviceOfFile } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import {
  isInstalled,
  isRunnable,
  placeholder,
  type Sample,
  samplesOf,
  textOf,
  userPages,
  workingDirectory,
} from "./samples.ts"

const windowSeconds = 1
const records = sampleFixtures({ companies: 40, tenements: 900, subsidiaries: 20, reports: 60 })
/** Replaces the company of the guide by one of the sample data. */
const existing = (text: string): string =>
  text.replaceAll("BHP", records.companies[0]?.asx_code ?? "")
const samples = (await samplesOf(userPages)).map((sample) => ({
  ...sample,
  code: existing(sample.code),
}))
const ofPage = (page: string, language: string): Sample[] =>
  samples.filter((sample) => sample.page === page && sample.language === language)

const settings = { RATE_WINDOW_SECONDS: String(windowSeconds) }
const service = await serviceOfFile({ records, settings })
const directory = workingDirectory()

const runnable = samples.filter(isRunnable)
const named = (list: readonly Sample[]) =>
  list.map((sample, index) => [sample.page, sample.language, index + 1, sample] as const)

describe.each(named(runnable))("%s, %s (%i)", (_page, _language, _number, sample) => {
  test.skipIf(!isInstalled(sample))("runs without an error", async () => {
    const asAdmin = { url: service.url, token: service.tokens.admin }
    const { exitCode, errors } = await directory.run(sample, asAdmin)
    expect([exitCode, errors]).toEqual([0, ""])
  })
})

describe("The program that reads a list page by page", () => {
  const [program] = ofPage("whole-lists", "python")
  if (!program) throw new Error("No such program")

  test.skipIf(!isInstalled(program))("reads every record once, also after a 429", async () => {
    const { headers } = await service.get("/tenements?state=WA&per_page=1")
    const total = Number(headers.get("x-total-count"))
    const pages = Math.ceil(total / 100)
    expect(pages).toBeGreaterThan(2)
    const token = await service.issueWithLimit(pages - 1)
    const before = service.logLines.length
    const denied = () =>
      service.logLines
        .slice(before)
        .filter((line) => JSON.parse(line)["http.response.status_code"] === 429)
    const running = directory.run(program, { url: service.url, token })
    await until(() => denied().length > 0)
    service.clock.advance(windowSeconds * 1000)
    const { exitCode, output, errors } = await running
    expect([exitCode, output.trim(), errors]).toEqual([0, String(total), ""])
  })

  test.skipIf(!isInstalled(program))("ends at an empty list", async () => {
    const none = { ...program, code: program.code.replaceAll("WA", "NT") }
    await service.publish({ ...records, tenements: [] })
    const { exitCode, output } = await directory.run(none, {
      url: service.url,
      token: service.tokens.admin,
    })
    await service.publish(records)
    expect([exitCode, output.trim()]).toEqual([0, "0"])
  })

  test.skipIf(!isInstalled(program))("fails with an invalid token", async () => {
    const { exitCode, errors } = await directory.run(program, { url: service.url, token: "mds_no" })
    expect(exitCode).not.toBe(0)
    expect(errors).toContain("401")
  })
})

/** URLs in formulas, programs and text, with their parameters. */
const addressesIn = (text: string): string[] =>
  [...text.matchAll(/https:\/\/mds\.example\.com(\/api\/v1[^\s"'`>]*)/g)].map(
    ([, path = ""]) => path,
  )

test("Every URL of the API in the guide returns 200", async () => {
  const texts = await Promise.all(userPages.map(textOf))
  const paths = [...new Set(texts.map(existing).flatMap(addressesIn))]
    // Programs and sheets complete the other ones.
    .filter((path) => path !== "/api/v1" && !path.includes("$"))
    .map((path) => path.replace(/api_key=(TOKEN)?$/, `api_key=${service.tokens.admin}`))
  expect(paths.length).toBeGreaterThan(10)
  for (const path of paths) {
    const response = await fetch(service.url + path, {
      headers: path.includes("api_key=") ? {} : { Authorization: `Bearer ${service.tokens.admin}` },
    })
    await response.body?.cancel()
    expect([path, response.status]).toEqual([path, 200])
  }
})

/** The URL that a formula requests. @param cellAfter the value of a cell, by the URL before it */
const requestOf = (formula: string, cellAfter: (before: string) => string): string =>
  [...formula.replace(/;.*/, "").matchAll(/"([^"]*)"|(?:\w+!)?[A-Z]\d/g)].reduce(
    (address, [, text]) => address + (text ?? cellAfter(address)),
    "",
  )

test.each(["", "TRUE", "FALSE"])(
  "Each formula reads its list where its cells are %p",
  async (cell) => {
    const { admin } = service.tokens
    const formulas = ofPage("google-sheets", "text").map(({ code }) => code)
    const requests = formulas.map((formula) =>
      requestOf(formula, (before) => (before.endsWith("api_key=") ? admin : cell)),
    )
    expect(requests.filter((request) => request.includes(`=${cell}&`)).length).toBeGreaterThan(0)
    for (const request of requests) {
      const path = request.replace(placeholder, "").replace("=TOKEN", `=${admin}`)
      const response = await fetch(service.url + path)
      expect([path, response.status]).toEqual([path, 200])
      expect(await response.text()).toMatch(/^[a-z_]+,/)
    }
  },
)

test("Power Query reads a list where its values come from an empty cell and from TRUE", async () => {
  const [csv] = ofPage("excel", "powerquery")
  const [, query = ""] = /Query = \[(.*)\]/.exec(csv?.code ?? "") ?? []
  const sent = new URLSearchParams({ state: "", api_key: service.tokens.admin })
  for (const [, name = "", value = ""] of query.matchAll(/(\w+) = "(\w+)"/g))
    if (name !== "state") sent.set(name, /true|false/.test(value) ? value.toUpperCase() : value)
  const response = await fetch(`${service.url}/api/v1/tenements?${sent}`)
  expect([response.status, response.headers.get("x-total-count")]).toEqual([200, "900"])
})

test("The columns in Power Query are those of the resources", () => {
  const columnsIn = (sample: Sample | undefined, pattern: RegExp) =>
    [...(sample?.code ?? "").matchAll(pattern)].map(([, name]) => name)
  const [csv, pages] = ofPage("excel", "powerquery")
  expect(columnsIn(csv, /\{"(\w+)", type/g)).toEqual(fieldNames(tenements, "always"))
  expect(columnsIn(pages, /(\w+) = (?:nullable )?(?:text|number|logical)\b/g)).toEqual(
    fieldNames(companies, "always"),
  )
})

test("Each sample of Power Query that reads CSV turns the formula guard off", () => {
  const queries = ofPage("excel", "powerquery")
    .flatMap(({ code }) => code.match(/Query = \[.*\]/g) ?? [])
    .filter((query) => query.includes('format = "csv"'))
  expect(queries).toHaveLength(1)
  for (const query of queries) expect(query).toContain('formula_guard = "false"')
})

test("No sample contains another host", async () => {
  const others = samples.flatMap(({ page, code }) =>
    [...code.matchAll(/https?:\/\/[\w.-]+/g)]
      .filter(([address]) => address !== placeholder)
      .map(([address]) => [page, address]),
  )
  expect(others).toEqual([])
})
