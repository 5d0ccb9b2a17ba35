/**
 * A client generated from the served description type-checks, and reads every endpoint of a running service;
 * the official client of the Model Context Protocol calls every tool.
 */
import { beforeAll, describe, expect, test } from "bun:test"
import { cp, symlink } from "node:fs/promises"
import { join } from "node:path"
import { exampleNow } from "../../src/api/description/examples.ts"
import { operationsIn, readDocument } from "../api/description/document.ts"
import { publishedExamples } from "../api/description/published-examples.ts"
import { readList } from "../contract/bodies.ts"
import { directoryOfFile } from "../support/of-file.ts"
import { installPackages, runProgram } from "../support/packages.ts"
import { serviceOfFile } from "../support/service.ts"
import { placeholder, samplesOf } from "../web/guide/samples.ts"

/** Generating and type-checking take seconds, and many of them on a busy machine. */
const limitMs = 300_000

const areInstalled = await installPackages(import.meta.dir, import.meta.path)

/** Has the programs, what was generated for them, and their packages. */
const directory = directoryOfFile()
const publisher = await publishedExamples()
const service = await serviceOfFile({ beside: publisher, now: exampleNow })

describe.skipIf(!areInstalled)("A client", () => {
  beforeAll(async () => {
    await cp(join(import.meta.dir, "programs"), directory, { recursive: true })
    await symlink(join(import.meta.dir, "node_modules"), join(directory, "node_modules"))
    const [sample] = (await samplesOf(["typescript"])).filter(
      ({ language }) => language === "typescript",
    )
    await Bun.write(
      join(directory, "guide.ts"),
      `${sample?.code.replace("./mds.ts", "./generated/openapi-typescript.ts").replace(placeholder, service.url)}`,
    )
    const served = await fetch(`${service.url}/openapi.json`)
    await Bun.write(join(directory, "openapi.json"), await served.text())
    await run(
      "node_modules/openapi-typescript/bin/cli.js",
      ...["openapi.json", "-o", "generated/openapi-typescript.ts"],
    )
  }, limitMs)

  async function run(...command: string[]): Promise<string> {
    const token = service.tokens.admin
    const environment = {
      SERVICE_URL: service.url,
      TOKEN: token,
      MDS_TOKEN: token,
      LIMITED_TOKEN: await service.issueWithLimit(1),
    }
    const { status, output } = await runProgram(command, { directory, environment })
    if (status !== 0) throw new Error(`${command[0]} failed: ${output}`)
    return output
  }

  test(
    "The client type-checks",
    async () => {
      // The project's own compiler: the generator's is several times as slow.
      const compiler = join(import.meta.dir, "../../node_modules/typescript/bin/tsc")
      expect(await run(compiler, "-p", ".")).toBe("")
    },
    limitMs,
  )

  test("The client of the guide reads a list", async () => {
    const total = (await service.get("/tenements?state=WA")).headers.get("x-total-count")
    expect((await run("guide.ts")).trim()).toBe(String(total))
  })

  test("The client reads every endpoint", async () => {
    const { responses, ...others } = JSON.parse(await run("openapi-fetch.ts"))
    const operations = operationsIn(await readDocument(service.url))
    expect(Object.keys(responses)).toEqual(operations.map(({ operationId }) => operationId))
    const read = (path: string) => service.get(path).then((response) => response.json())
    const path = "/companies/XMR"
    expect(responses).toEqual({
      listCompanies: await read(
        "/companies?sector=Materials&sort=market_cap&order=desc&per_page=10",
      ),
      getCompany: await read(path),
      listTenementsOfCompany: await read(`${path}/tenements`),
      listSubsidiariesOfCompany: await read(`${path}/subsidiaries`),
      listVersionsOfCompany: await read(`${path}/history`),
      listTenements: await read("/tenements?state=WA"),
      getTenement: await read("/tenements/WA-E47-9001"),
      listVersionsOfTenement: await read("/tenements/WA-E47-9001/history"),
      listReports: await read("/reports?from=2026-01-01&as_of=1"),
      getReport: await read("/reports/0f4c2d1e8b7a69583746251403f2e1d0"),
      listVersionsOfReport: await read("/reports/0f4c2d1e8b7a69583746251403f2e1d0/history"),
      listCompanyFacets: await read("/facets/companies/sector"),
      listTenementFacets: await read("/facets/tenements/status?state=WA"),
      listReportFacets: await read("/facets/reports/group"),
      listReleases: await read("/releases"),
      listSources: await read("/sources"),
      getUsage: {
        data: expect.objectContaining({ plan: "admin", used: null, limit: 2_147_483_647 }),
      },
    })
    expect(others).toEqual({
      marketCap: 4_815_000_000,
      notNull: 4_815_000_000,
      state: "WA",
      fault: "per_page",
      csv: await (await service.get("/companies?format=csv&all=true")).text(),
    })
  })

  test("A client of the Model Context Protocol lists and calls every tool", async () => {
    const { legacy, modern, ...failures } = JSON.parse(await run("mcp.ts"))
    expect([legacy.version, modern.version]).toEqual(["2025-11-25", "2026-07-28"])
    const records = async (path: string) => (await readList(await service.get(path))).data
    for (const { tools, results, huge } of [legacy, modern]) {
      expect(tools).toEqual([
        ...["find_companies", "find_tenements", "find_announcements", "count_tenements"],
        ...["company", "changes", "sources"],
      ])
      const [companies, company, tenements, reports, counts, changes, sources, failed] = results
      expect(companies.structuredContent.records).toEqual(
        await records("/companies?sector=Materials"),
      )
      expect(company.structuredContent.company).toMatchObject({ asx_code: "XMR" })
      expect(tenements.structuredContent).toMatchObject({ release: { number: 1 }, total: 1 })
      expect(reports.structuredContent.records).toEqual(await records("/reports?company=XMR"))
      expect(counts.structuredContent.records).toEqual([{ value: "WA", count: 1 }])
      expect(changes.structuredContent.added_or_changed.total).toBe(1)
      expect(sources.structuredContent.records).toEqual(await records("/sources"))
      expect(failed.isError).toBe(true)
      expect(huge).toContain("Payload Too Large")
    }
    expect(failures).toEqual({
      wrongToken: expect.stringContaining("Invalid or missing API token"),
      missingToken: expect.stringContaining("HTTP 401"),
      pastWindow: expect.stringContaining("Rate limit exceeded"),
    })
  })
})
