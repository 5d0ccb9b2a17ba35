/** A secret can be given as a file, so that it is in no environment that others can read. */
import { expect, test } from "bun:test"
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { readConfig, type SettingName } from "../src/config.ts"
import { type Setting, settings } from "../src/settings.ts"
import { directoryOfFile } from "./support/of-file.ts"

const address = "postgres://mds:s3cret@database/mds"
const secrets = Object.entries<Setting>(settings).filter(([, { secret }]) => secret)

const directory = directoryOfFile()

function fileOf(text: string | Uint8Array): string {
  const path = join(directory, crypto.randomUUID())
  writeFileSync(path, text)
  return path
}

test.each(["", "\n", "\r\n"])(
  "A setting's value is the file's text without a final line break (%j)",
  (end) => {
    expect(readConfig({ DATABASE_URL_FILE: fileOf(address + end) }).DATABASE_URL).toBe(address)
  },
)

test("Every secret can be read from a file, and no other setting", () => {
  const missing = join(directory, "missing")
  const environment = Object.fromEntries(
    Object.keys(settings).map((name) => [`${name}_FILE`, missing]),
  )
  const message = faultOf({ ...environment, SOURCES_FILE: undefined })
  const named = [...message.matchAll(/^(\w+) cannot be read from \1_FILE: ENOENT/gm)]
  expect(named.map(([, name]) => name)).toEqual(secrets.map(([name]) => name))
  expect(message.split("\n")).toHaveLength(1 + secrets.length)
})

test.each([
  [{ DATABASE_URL: address }, "DATABASE_URL is given twice: unset it or DATABASE_URL_FILE"],
  // Compose passes a variable that is not set as an empty one.
  [{ DATABASE_URL: "" }, undefined],
])("A secret that is set twice is rejected, without showing it (%#)", (environment, fault) => {
  const message = faultOf({ ...environment, DATABASE_URL_FILE: fileOf(address) })
  expect(message).toBe(fault ? `Cannot use the settings:\n${fault}` : "")
})

test.each(["", "\n"])("An empty file (%j) is rejected", (text) => {
  const path = fileOf(text)
  expect(faultOf({ DATABASE_URL_FILE: path })).toEndWith(
    `DATABASE_URL is empty in DATABASE_URL_FILE, ${path}`,
  )
})

test("A byte order mark is not part of the secret", () => {
  const path = fileOf(`\uFEFF${address}\r\n`)
  expect(readConfig({ DATABASE_URL_FILE: path }).DATABASE_URL).toBe(address)
  expect(faultOf({ DATABASE_URL_FILE: fileOf("\uFEFF\n") })).toContain("is empty in")
})

test("A secret is read through symbolic links, as Kubernetes mounts one", () => {
  const volume = join(directory, "volume")
  mkdirSync(join(volume, "..2026_01_02"), { recursive: true })
  writeFileSync(join(volume, "..2026_01_02", "url"), address)
  symlinkSync("..2026_01_02", join(volume, "..data"))
  symlinkSync(join("..data", "url"), join(volume, "url"))
  expect(readConfig({ DATABASE_URL_FILE: join(volume, "url") }).DATABASE_URL).toBe(address)
})

test("An invalid secret in a file is not shown", () => {
  const message = faultOf({ DATABASE_URL_FILE: fileOf("s3cret") })
  expect(message).toContain("DATABASE_URL must")
  expect(message).not.toContain("s3cret")
})

test("The guide names the settings that a file can contain", async () => {
  const page = await Bun.file(new URL("../src/web/guide/settings.md", import.meta.url)).text()
  const [sentence = ""] = /^.*_FILE`.*$/m.exec(page) ?? []
  const names: readonly string[] = secrets.map(([name]) => name as SettingName)
  for (const name of names) expect(sentence).toContain(`\`${name}\``)
})

function faultOf(environment: Record<string, string | undefined>): string {
  try {
    readConfig(environment)
    return ""
  } catch (error) {
    return (error as Error).message
  }
}
