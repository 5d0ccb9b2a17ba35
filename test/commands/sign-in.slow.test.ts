/** Operators print one-time links, see where people are signed in, and sign them out, from the command line. */
import { expect, test } from "bun:test"
import { command } from "../support/process.ts"
import { serviceOfFile } from "../support/service.ts"
import { visitor } from "../web/pages/visitor.ts"

const service = await serviceOfFile({ now: new Date() })

const mds = (args: string[], settings: Record<string, string> = {}) =>
  command(args, { DATABASE_URL: service.database.url, ACTOR: "jo", ...settings })

const linkText = /^http:\/\/127\.0\.0\.1:3000(\/account\/link\?link=(mds_link_[\w-]{43}))\n$/

test("Creating an account prints a link that signs its owner in", async () => {
  const email = "created@example.com"
  const { stdout, exitCode } = await mds(["account", "create", email])
  expect([exitCode, stdout]).toEqual([0, expect.stringMatching(linkText)])
  const [, path = "", link = ""] = linkText.exec(stdout) ?? []
  const person = visitor(service)
  expect(await (await person.get(path)).text()).toContain(email)
  expect((await person.post("/account/link", { link })).status).toBe(303)
  expect(await (await person.get("/account/sessions")).text()).toContain(email)
})

test("A link has the public address, and requires an existing account", async () => {
  const settings = { BASE_URL: "https://data.example.com" }
  const made = await mds(["account", "link", "ADMIN@example.com"], settings)
  expect(made).toEqual({
    exitCode: 0,
    stdout: expect.stringMatching(/^https:\/\/data\.example\.com\/account\/link\?link=mds_link_/),
    stderr: "The link signs in once, within 15 minutes\n",
  })
  expect(await mds(["account", "link", "nobody@example.com"])).toEqual({
    exitCode: 1,
    stdout: "",
    stderr:
      "Account nobody@example.com does not exist. Check the address, or run `mds account create nobody@example.com`\n",
  })
})

test("A link leads to the page of --next, which must be a path", async () => {
  const path = "/explore/tenements?state=WA"
  const { stdout } = await mds(["account", "link", "standard@example.com", "--next", path])
  const { searchParams } = new URL(stdout.trim())
  expect(searchParams.get("next")).toBe(path)
  const wrong = await mds(["account", "link", "standard@example.com", "--next", "//evil.example"])
  expect([wrong.exitCode, wrong.stdout]).toEqual([2, ""])
  expect(wrong.stderr).toContain("Must be a path of the service, such as /explore/tenements.")
})

test("An operator lists and ends sessions, and the audit names the operator", async () => {
  const email = "standard@example.com"
  const person = visitor(service, "Mozilla/5.0 (\u00fc a test)")
  const { stdout } = await mds(["account", "link", email])
  const [, , link = ""] = linkText.exec(stdout) ?? []
  await person.post("/account/link", { link })
  const listed = await mds(["account", "sessions", email])
  const [head, row = ""] = listed.stdout.split("\n")
  expect(head?.split(/ {2,}/)).toEqual(["signed in at", "last seen at", "address", "browser"])
  expect(row).toMatch(/ {2}127\.0\.0\.1 {2}Mozilla\/5\.0 \(\u00fc a test\)$/)

  expect((await mds(["account", "sign-out", email])).stderr).toBe(
    `Ended 1 session of account ${email}\n`,
  )
  expect((await person.get("/account/sessions")).status).toBe(303)
  const audit = (await mds(["account", "show", email])).stdout.trimEnd().split("\n")
  expect(audit.at(-2)).toMatch(
    / session +created +signed_in_at \S+Z +standard@example\.com +127\.0\.0\.1$/,
  )
  expect(audit.at(-1)).toMatch(/ session +deleted +signed_in_at \S+Z +jo +command line on /)
})
