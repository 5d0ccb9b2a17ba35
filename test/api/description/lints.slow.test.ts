/**
 * The description passes `redocly lint` with its strict rules and Spectral with its rules for OpenAPI,
 * without a warning, and the responses of the service conform to it.
 */
import { describe, expect, test } from "bun:test"
import { join } from "node:path"
import { directoryOfFile } from "../../support/of-file.ts"
import { installPackages, runProgram } from "../../support/packages.ts"
import { serviceOfFile } from "../../support/service.ts"
import { readDocument } from "./document.ts"

const directory = join(import.meta.dir, "lints")
const areInstalled = await installPackages(directory, import.meta.path)

const redocly = ["node_modules/@redocly/cli/bin/cli.js", "lint", "--config", "redocly.yaml"]
const spectral = [
  ...["node_modules/@stoplight/spectral-cli/dist/index.js", "lint", "--ruleset", "spectral.yaml"],
  ...["--fail-severity", "hint"],
]
/** Each run takes seconds, and many of them on a busy machine. */
const limitMs = 300_000
const environment = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }

const scratch = directoryOfFile()
const service = await serviceOfFile()
const settings = { BASE_URL: "https://data.example.org/mds" }
const published = await serviceOfFile({ beside: service, settings })
/** As it is served without and with a public address. */
const served = await Promise.all(
  [service, published].map(async ({ url }) => (await fetch(`${url}/openapi.json`)).text()),
)

describe.skipIf(!areInstalled)("The description", () => {
  /**
   * Lints the document with the public address as it is, and the other with one thing that is wrong,
   * no name for the function of one operation: the one fault that is to be found in all.
   */
  async function findings(command: readonly string[]) {
    const [local = "", published = ""] = served
    const faulty = local.replace('"operationId":"getCompany",', "")
    const files = ["published.json", "faulty.json"].map((name) => join(scratch, name))
    await Promise.all([published, faulty].map((text, index) => Bun.write(files[index] ?? "", text)))
    const run = [...command, "--format", "json", ...files]
    const { status, output } = await runProgram(run, { directory, environment })
    const all = (pattern: RegExp) => [...output.matchAll(pattern)].map(([, found]) => found)
    return {
      status,
      // Warnings and hints too.
      rules: all(/"(?:ruleId|code)": "(.+?)"/g),
      documents: all(/"(?:ref|source)": "(?:.*\/)?(.+?)"/g),
    }
  }

  const theFault = { status: 1, rules: ["operation-operationId"], documents: ["faulty.json"] }

  test(
    "The description passes Redocly lint",
    async () => expect(await findings(redocly)).toEqual(theFault),
    limitMs,
  )

  test(
    "The description passes Spectral",
    async () => expect(await findings(spectral)).toEqual(theFault),
    limitMs,
  )

  test("Every response conforms to its schema", async () => {
    const validate = await validator(served[0] ?? "", scratch)
    expect(await validate("/companies", Response.json({ data: [{}], meta: {} }))).not.toEqual([])
    const keys: Record<string, string[]> = {
      companies: ["BIG", "OLDCO", "NULL", "DUR", "MAX"],
      tenements: ["SA-0", "NT-10", "TAS-00", "wa-e47-1234"],
      reports: ["a5", "a8", "b-._~0"],
    }
    const { paths } = await readDocument(service.url)
    let checked = 0
    for (const path of Object.keys(paths)) {
      const [, resource = ""] = path.split("/")
      const names = path.includes("{") ? (keys[resource] ?? []) : [""]
      for (const target of names.map((key) => path.replace(/\{\w+\}/, key))) {
        expect(await validate(path, await service.get(target))).toEqual([])
        expect(await validate(path, await service.get(`${target}?page=0`))).toEqual([])
        expect(await validate(path, await service.get(target, { token: null }))).toEqual([])
        if (/^\/tenements(\/\{id\})?$/.test(path)) {
          const features = await service.get(`${target}?format=geojson`)
          expect(await validate(path, features)).toEqual([])
        }
        checked++
      }
      if (!path.includes("{")) continue
      const missing = await service.get(path.replace(/\{\w+\}/, "NONE"))
      expect([missing.status, await validate(path, missing)]).toEqual([404, []])
    }
    expect(checked).toBeGreaterThan(20)
  })
})

interface Validator {
  (value: unknown): boolean
  errors?: object[] | null
}

/** The faults of a JSON response by the schema of its status in the description. */
async function validator(document: string, scratch: string) {
  // This process may have looked for the packages before they were installed, and finds none of those
  // that they import: a new process puts them together.
  const bundle = join(scratch, "validator")
  const files = ["ajv/dist/2020.js", "ajv-formats/dist/index.js"]
  const sources = files.map((file) => join("node_modules", file))
  const command = ["build", ...sources, "--root", "node_modules", "--outdir", bundle]
  const { status, output } = await runProgram([...command, "--target", "bun"], { directory })
  if (status !== 0) throw new Error(`Cannot build the validator: ${output}`)
  const [ajv2020, formats] = await Promise.all(files.map((file) => import(join(bundle, file))))
  const { Ajv2020 } = ajv2020.default
  const addFormats = formats.default.default
  const ajv = new Ajv2020({ strict: false, allErrors: true })
  addFormats(ajv)
  ajv.addFormat("int32", true).addFormat("int64", true)
  ajv.addSchema(JSON.parse(document), "document")
  return async (path: string, response: Response): Promise<object[]> => {
    const { responses } = JSON.parse(document).paths[path].get
    const reference: string | undefined = responses[response.status].$ref
    const described = reference ?? `#/paths/${path.replaceAll("/", "~1")}/get/responses/200`
    const escaped = described.replaceAll("{", "%7B").replaceAll("}", "%7D")
    const mediaType = response.headers.get("content-type")?.replace(/;.*/, "").replace("/", "~1")
    const validate: Validator = ajv.compile({
      $ref: `document${escaped}/content/${mediaType}/schema`,
    })
    return validate(await response.json()) ? [] : (validate.errors ?? [])
  }
}
