/** The explorer in a real browser: what it shows is what its links, lines and files give elsewhere. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  browserIsInstalled,
  startBrowser,
  type TestBrowser,
  type Visitor,
} from "../support/browser.ts"
import { until } from "../support/until.ts"
import {
  assertAccessible,
  assertFits,
  desktopWidth,
  phoneWidth,
  resize,
} from "../support/usable.ts"
import { type Site, startSite } from "./site.ts"

describe.skipIf(!browserIsInstalled)("In a browser", () => {
  let site: Site
  let browser: TestBrowser
  let visitor: Visitor

  beforeAll(async () => {
    site = await startSite()
    browser = await startBrowser(site.service.url)
    visitor = await browser.visitor()
    await site.signIn(visitor, "standard")
  })

  afterAll(async () => {
    await browser.stop()
    await site.stop()
  })

  test("Results follow typing; browser history restores each finished filter with its results", async () => {
    const { page, visit } = visitor
    await visit("/explore/tenements")
    const holder = page.getByRole("searchbox", { name: "Holder" })
    const type = async (text: string, query: string) => {
      await holder.pressSequentially(text)
      await page.waitForURL((url) => url.search === query)
    }
    const shown = async () => ({
      query: new URL(page.url()).search,
      holder: await holder.inputValue(),
      state: await page.getByRole("combobox", { name: "State" }).inputValue(),
      lead: await page.textContent("#lead"),
      rows: await firstColumn(visitor),
    })
    const states = [await shown()]
    await type("aard", "?holder=aard")
    await type("vark", "?holder=aardvark")
    await holder.press("Enter")
    states.push(await shown())
    await page.getByRole("combobox", { name: "State" }).selectOption("WA")
    await page.waitForURL("**/explore/tenements?holder=aardvark&state=WA")
    states.push(await shown())
    const counts = await page
      .getByRole("combobox", { name: "Status" })
      .locator("option")
      .allTextContents()
    expect(counts).toEqual(["Any", "granted (1)"])
    expect(new Set(states.map(({ rows }) => rows.length)).size).toBe(3)
    const showsAgain = (index: number) =>
      until(async () => Bun.deepEquals(await shown(), states[index]))
    for (const index of [1, 0]) {
      await page.goBack()
      await showsAgain(index)
    }
    for (const index of [1, 2]) {
      await page.goForward()
      await showsAgain(index)
    }
    await visitor.assertClean()
  })

  test("A rejected filter has its fault beside it, until it is corrected, and after a step back", async () => {
    // Their browser writes each refused request to the console.
    await using person = await browser.visitor()
    await site.signIn(person, "standard")
    const { page, visit } = person
    await visit("/explore/tenements")
    await page.locator("summary", { hasText: "More filters" }).click()
    const around = page.getByLabel("Near a place")
    const isMarked = page.locator("[name=near][aria-invalid=true][aria-describedby=near-fault]")
    await around.fill("Nowhere 20km")
    await around.press("Enter")
    await isMarked.waitFor()
    expect(await page.textContent("#near-fault")).toStartWith("Must be a town of the list")
    await around.fill("-30.75,121.47,50")
    await around.press("Enter")
    await page.waitForURL("**/explore/tenements?near=-30.75%2C121.47%2C50")
    expect([await isMarked.count(), await page.locator(".fault").count()]).toEqual([0, 0])
    await page.goBack()
    await isMarked.waitFor()
    expect(await page.textContent("#near-fault")).toStartWith("Must be a town of the list")
  })

  test("A typed date is one entry of the browser history", async () => {
    const { page, visit } = visitor
    await visit("/explore/reports")
    const steps = await page.evaluate("history.length")
    await page.getByLabel("From").pressSequentially("02012026")
    await page.keyboard.press("Enter")
    await page.waitForURL(/from=2026-02-01/)
    expect(await page.evaluate("history.length")).toBe(Number(steps) + 1)
    await visitor.assertClean()
  })

  test("The address, curl, formula and file return the rows of the table", async () => {
    const { page, visit } = visitor
    const token = site.service.tokens.standard
    await visit("/explore/companies?sector=materials&sort=market_cap&order=desc")
    const shown = await firstColumn(visitor)
    expect(shown.slice(0, 2)).toEqual(["MAX", "BI2"])
    await openMenu(visitor, "Export")
    const field = page.getByLabel("Your token (optional)")
    await field.fill(token.slice(0, 12))
    expect(await page.textContent("#code-curl")).toContain("YOUR_TOKEN")
    await field.fill(token)

    const curl = await copied(visitor, "curl")
    expect(codesOf(await shell(curl))).toEqual(shown)
    const address = await copied(visitor, "URL")
    const response = await fetch(address, { headers: { Authorization: `Bearer ${token}` } })
    expect(codesOf(await response.text())).toEqual(shown)
    const formula = await copied(visitor, "Google Sheets")
    const imported = /^=IMPORTDATA\("(.*)"\)$/.exec(formula)?.[1] ?? ""
    expect(firstCells(await (await fetch(imported)).text())).toEqual(shown)

    const downloading = page.waitForEvent("download")
    await page.getByRole("link", { name: "Download CSV" }).click()
    const file = await (await downloading).path()
    expect(firstCells(await Bun.file(file).text())).toEqual(shown)
    await visitor.assertClean()
  })

  test("A download after the session has ended leads to sign in", async () => {
    await using person = await browser.visitor()
    await site.signIn(person, "standard")
    await person.visit("/explore/companies")
    await person.context.clearCookies()
    await openMenu(person, "Export")
    await person.page.getByRole("link", { name: "Download CSV" }).click()
    await person.page.waitForURL("**/account/sign-in?next=%2Fexplore%2Fcompanies.csv*")
    await person.assertClean()
  })

  test.each(["light", "dark"] as const)(
    "The search box works by keyboard and is accessible, and a click leaves its matches open (%s)",
    async (scheme) => {
      await using reader = await browser.visitor({ width: phoneWidth, scheme })
      await site.signIn(reader, "standard")
      const { page, visit } = reader
      await visit("/explore/tenements")
      const focused = () => page.evaluate<string>("document.activeElement.textContent")
      const matches = page.locator("#found")
      await page.keyboard.press("/")
      await page.keyboard.type("min")
      await matches.getByRole("heading", { name: "Companies" }).waitFor()
      // A slow machine shows the matches for “m” first.
      const status = page.locator("#found-status")
      await until(async () => (await status.textContent()) === "The best matches for “min”.")
      await assertFits(page)
      await assertAccessible(page)
      await matches.getByRole("heading", { name: "Companies" }).click()
      expect(await matches.isVisible()).toBe(true)
      await page.locator("#q").focus()
      await page.keyboard.press("ArrowDown")
      expect(await focused()).toBe("-Minus, Metals")
      await page.keyboard.press("ArrowUp")
      await page.keyboard.press("ArrowUp")
      expect(await focused()).toBe("All pages of the guide with “min”")
      await page.keyboard.press("Escape")
      expect(await matches.isVisible()).toBe(false)
      expect(await page.locator("#found-status").textContent()).toBe("")
      expect(await page.evaluate<string>("document.activeElement.id")).toBe("q")
      await page.keyboard.type("u")
      await matches.getByRole("link", { name: "-Minus, Metals" }).waitFor()
      await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
      await page.waitForURL("**/explore/companies/MIN")
      // A slash in a field is a slash.
      await page.keyboard.press("/")
      await page.keyboard.type("e47/1")
      await page.keyboard.press("Enter")
      await page.waitForURL("**/explore/search?q=e47%2F1")
      await reader.assertClean()
    },
  )

  test("A printed list has its records and no controls", async () => {
    await using reader = await browser.visitor({ width: 700 })
    await site.signIn(reader, "standard")
    await reader.visit("/explore/companies?search=big")
    const { page } = reader
    await page.emulateMedia({ media: "print" })
    for (const shown of ["#lead", "td"]) {
      expect(await page.locator(shown).first().isVisible()).toBe(true)
    }
    for (const hidden of ["header", "#filters", "summary", "footer"]) {
      expect(await page.locator(hidden).first().isVisible()).toBe(false)
    }
  })

  test("On a phone one filter is open, records are cards whose numbers have labels, and export is one tap away", async () => {
    await using phone = await browser.visitor({ width: phoneWidth })
    await site.signIn(phone, "standard")
    await phone.visit("/explore/companies")
    const { page } = phone
    expect(await page.getByRole("combobox", { name: "Sector" }).isVisible()).toBe(false)
    await page.locator("summary", { hasText: "More filters" }).click()
    expect(await page.getByRole("combobox", { name: "Sector" }).isVisible()).toBe(true)
    await page.getByLabel("Name or code").pressSequentially("big")
    await page.waitForURL(/search=big/)
    const card = page.locator("tbody tr", { hasText: "Big Ore" })
    const shown = ["BIG", "Big Ore, Limited", "250 bn"]
    for (const text of shown) expect(await card.getByText(text).first().isVisible()).toBe(true)
    expect(await card.getByText("Materials").first().isVisible()).toBe(false)
    expect(await page.getByRole("link", { name: "Market cap, A$" }).isVisible()).toBe(true)
    await openMenu(phone, "Export")
    await assertFits(page)
    await assertAccessible(page)
    expect(await page.getByRole("link", { name: "Download CSV" }).isVisible()).toBe(true)
    // A click outside only closes the menu, whatever is there, and Escape returns to its button.
    const link = await page.getByRole("link", { name: "Overview" }).boundingBox()
    await page.mouse.click((link?.x ?? 0) + 4, (link?.y ?? 0) + 4)
    expect(await page.getByRole("link", { name: "Download CSV" }).isVisible()).toBe(false)
    expect(new URL(page.url()).pathname).toBe("/explore/companies")
    await openMenu(phone, "Export")
    await page.keyboard.press("Escape")
    expect(await page.getByRole("link", { name: "Download CSV" }).isVisible()).toBe(false)
    expect(await page.evaluate("document.activeElement.textContent")).toStartWith("Export")
    // Another menu opens with one click, in either order.
    await phone.visit("/explore/companies")
    for (const name of ["Export", "Columns", "Export"]) {
      await openMenu(phone, name)
      expect(await page.locator(".menu[open] > summary").allTextContents()).toEqual([
        `${name}\u00a0▾`,
      ])
    }
    await phone.assertClean()
  })

  test("On a phone, companies side by side scroll sideways beside the names of the rows", async () => {
    await using phone = await browser.visitor({ width: phoneWidth })
    await site.signIn(phone, "standard")
    const { page } = phone
    await phone.visit("/explore/compare?codes=BIG,STR,QUO,OLDCO")
    const lefts = () =>
      page.evaluate<number[][]>(
        `[...document.querySelectorAll("tr")].map((row) => [...row.children].slice(0, 2).map((cell) => Math.round(cell.getBoundingClientRect().left)))`,
      )
    const before = await lefts()
    const [[name = 0, company = 0] = []] = before
    expect(company).toBeGreaterThan(name)
    expect(before).toEqual(before.map(() => [name, company]))
    await page.evaluate("document.querySelector('.table').scrollLeft = 100")
    expect(await lefts()).toEqual(before.map(() => [name, company - 100]))
    await assertFits(page)
    await assertAccessible(page)
    await phone.assertClean()
  })

  test("On a wide window, a form has a button unless results follow typing, rows come before boxes, a table has all its rows, and the footer ends a short page", async () => {
    const { page, visit } = visitor
    await visit("/explore/reports?search=no+such+title")
    expect(await page.getByRole("searchbox", { name: "Title" }).isVisible()).toBe(true)
    expect(await page.getByRole("button", { name: "Apply" }).isVisible()).toBe(false)
    for (const [path, name] of Object.entries({ compare: "Compare", changes: "Apply" })) {
      await visit(`/explore/${path}`)
      expect([path, await page.getByRole("button", { name }).isVisible()]).toEqual([path, true])
    }
    await visit("/account/sessions")
    const footer = await page.locator(".site-footer").boundingBox()
    expect((footer?.y ?? 0) + (footer?.height ?? 0)).toBe(800)
    await visit("/explore/tenements?holder=a&state=WA")
    expect((await page.locator("tbody tr").first().boundingBox())?.y).toBeLessThan(330)
    await visit("/explore/tenements")
    await resize(page, 1000)
    const cut =
      "[...document.querySelectorAll('.table')].filter((each) => each.scrollHeight > each.clientHeight).length"
    expect(await page.evaluate(cut)).toBe(0)
    await resize(page, desktopWidth)
    await visitor.assertClean()
  })

  test("The form works without scripts", async () => {
    await using plain = await browser.visitor({ javaScript: false })
    await site.signIn(plain, "standard")
    await plain.visit("/explore/tenements?state=WA")
    await plain.page.getByRole("searchbox", { name: "Holder" }).fill("aard")
    await plain.page.getByRole("button", { name: "Apply" }).click()
    await plain.page.waitForURL(/holder=aard/)
    expect(await firstColumn(plain)).toEqual(["E47/1234"])
    await plain.assertClean()
  })
})

const firstColumn = ({ page }: Visitor): Promise<string[]> =>
  page.locator("tbody tr > :first-child").allTextContents()

const openMenu = ({ page }: Visitor, name: string) =>
  page.locator(".menu > summary", { hasText: name }).click()

/** The line for a program, by the button that copies it. */
async function copied({ page }: Visitor, program: string): Promise<string> {
  await page.locator("[name=program] summary", { hasText: new RegExp(`^${program}$`) }).click()
  await page.locator("[data-copy]:visible").click()
  await page.locator("[data-copy]:visible", { hasText: "Copied" }).waitFor()
  return page.evaluate("navigator.clipboard.readText()")
}

const codesOf = (json: string): string[] =>
  JSON.parse(json).data.map(({ asx_code }: { asx_code: string }) => asx_code)

/** Without the head. No code has a comma, and no other field begins a line with three capitals. */
const firstCells = (csv: string): string[] =>
  [...csv.matchAll(/^([A-Z0-9]{3,6}),/gm)].map(([, cell = ""]) => cell)

/** What a line prints that was copied from a page. */
const shell = (line: string): Promise<string> =>
  new Response(Bun.spawn(["sh", "-c", line], { stderr: "ignore" }).stdout).text()
