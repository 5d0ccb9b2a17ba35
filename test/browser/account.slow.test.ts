/** What people do in the account area, in a real browser, with the tokens that they get there used by a real curl. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  browserIsInstalled,
  startBrowser,
  type TestBrowser,
  type Visitor,
} from "../support/browser.ts"
import {
  assertAccessible,
  assertFits,
  desktopWidth,
  phoneWidth,
  resize,
} from "../support/usable.ts"
import { linkSecret } from "../web/pages/visitor.ts"
import { type Site, startSite } from "./site.ts"

describe.skipIf(!browserIsInstalled)("In a browser", () => {
  let site: Site
  let browser: TestBrowser

  beforeAll(async () => {
    site = await startSite()
    browser = await startBrowser(site.service.url)
  })

  afterAll(async () => {
    await browser.stop()
    await site.stop()
  })

  /** A link of a new account, as an operator hands it over. */
  async function linkOf(email: string): Promise<string> {
    await site.service.issue(email)
    return `/account/link?link=${await linkSecret(site.service, email)}`
  }

  test("A one-time link opens the account once; then the page offers another", async () => {
    await using visitor = await browser.visitor()
    const { visit } = visitor
    const link = await linkOf("link@example.com")
    // A mail scanner opens it too, and does not use it up.
    await visit(link)
    await visit(link)
    await assertFitsBoth(visitor)
    await press(visitor, "Sign in")
    expect(pathOf(visitor)).toBe("/account")

    await visit("/account/sessions")
    await press(visitor, "Sign out here")
    await visit("/account/tokens")
    expect(await heading(visitor)).toBe("Sign in")
    await visit(link, 410)
    expect(await textOf(visitor)).toContain("Ask for another")
    await visitor.assertClean()
  })

  test.each([[true], [false]])(
    "A person creates, uses, renames and revokes a token, with scripts: %j",
    async (javaScript) => {
      await using visitor = await browser.visitor({ javaScript })
      const { page, visit } = visitor
      await visit(await linkOf(`tokens-${javaScript}@example.com`))
      await press(visitor, "Sign in")
      await visit("/account/tokens")
      await page.getByLabel("Name").fill("Nightly <script>")
      await page.getByLabel("Expires").selectOption("In 30 days")
      await press(visitor, "Create token")
      await assertFitsBoth(visitor)
      if (javaScript) await assertAccessible(page)
      const line = await page.textContent("#curl")
      const first = await copied(visitor)

      expect(await shell(line)).toContain('"data":[{')
      const get = (token: string) => site.service.get("/companies/BIG", { token })
      expect((await get(first)).status).toBe(200)
      await follow(visitor, "I have copied it")
      expect(await page.content()).not.toContain(first)

      await visit("/account/usage")
      const uses = page.getByRole("region", { name: "Requests by token" })
      expect(await uses.getByRole("row", { name: "Nightly" }).textContent()).toMatch(/2\s*2$/)
      expect(await textOf(visitor)).toContain("GET /api/v1/companies/BIG")

      await visit("/account/tokens")
      await follow(visitor, "Rename")
      await page.getByRole("textbox", { name: "Name" }).fill("Weekly")
      await press(visitor, "Save")
      expect(await heading(visitor)).toBe("Weekly")

      await visit("/account/tokens")
      await follow(visitor, "Revoke")
      await press(visitor, `Revoke ${prefixOf(first)}`)
      expect(await textOf(visitor)).toContain(`Revoked ${prefixOf(first)}`)
      expect((await get(first)).status).toBe(401)
      await visit("/account/audit")
      expect(await textOf(visitor)).toContain(prefixOf(first))
      await visitor.assertClean()
    },
  )

  test("A field that another choice hides does not hold back a watch", async () => {
    await using visitor = await browser.visitor()
    const { page, visit } = visitor
    await visit(await linkOf("watches@example.com"))
    await press(visitor, "Sign in")
    await visit("/account/watches/new?path=/tenements")
    await page.getByLabel("Report").selectOption("expiry")
    await page.getByLabel("Days before expiry").fill("9999")
    await page.getByLabel("Report").selectOption("both")
    await page.getByLabel("Send").selectOption("webhook")
    await page.getByLabel("URL of the webhook").fill("hooks")
    await page.getByLabel("Send").selectOption("daily")
    await press(visitor, "Create watch")
    expect(await textOf(visitor)).toContain("The watch is active.")
    await visitor.assertClean()
  })
})

/** For pages that only a form or a link leads to; those with an address of their own are all checked elsewhere. */
async function assertFitsBoth({ page }: Visitor): Promise<void> {
  await resize(page, phoneWidth)
  await assertFits(page)
  await resize(page, desktopWidth)
  await assertFits(page)
}

/** The new token, by its button where scripts run. */
async function copied({ page }: Visitor): Promise<string> {
  const token = (await page.textContent("#token")) ?? ""
  const button = page.locator("[data-copy=token]")
  if (await button.isVisible()) {
    await button.click()
    await page.locator("[data-copy=token]", { hasText: "Copied" }).waitFor()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(token)
  }
  return token
}

const prefixOf = (token: string): string => token.slice(0, "mds_12345678".length)

const press = (visitor: Visitor, name: string) =>
  opening(visitor, () => visitor.page.getByRole("button", { name }).click())
const follow = (visitor: Visitor, name: string) =>
  opening(visitor, () => visitor.page.getByRole("link", { name }).first().click())

/** Does what opens another page, and waits for that. */
async function opening({ page }: Visitor, open: () => Promise<void>): Promise<void> {
  const opened = page.waitForEvent("load")
  await open()
  await opened
}

const heading = ({ page }: Visitor) => page.textContent("h1")
const textOf = ({ page }: Visitor) => page.textContent("main")
const pathOf = ({ page }: Visitor): string => new URL(page.url()).pathname

/** What a line prints that was copied from a page. */
const shell = (line: string | null): Promise<string> =>
  new Response(Bun.spawn(["sh", "-c", line ?? ""], { stderr: "ignore" }).stdout).text()
