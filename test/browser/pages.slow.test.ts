/** Every page keeps to its policy and to itself, and can be used by anybody: on a phone, by keyboard, without scripts. */

import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  browserIsInstalled,
  startBrowser,
  type TestBrowser,
  type Visitor,
} from "../support/browser.ts"
import { routes } from "../support/routes.ts"
import {
  assertAccessible,
  assertFits,
  assertKeyboardReaches,
  assertNeedsNoScript,
  assertReadableInTheDark,
  desktopWidth,
  phoneWidth,
  resize,
} from "../support/usable.ts"
import { forPrograms, type PageExample, pages, type Who } from "./pages.ts"
import { type Site, startSite } from "./site.ts"

/** Columns out of sight are not looked for. */
const tablesCutOff = `[...document.querySelectorAll(".table")]
  .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length`

test("Every route for people has an example here", () => {
  const pageRoutes = routes
    .filter(({ method, path }) => method === "GET" && !/^\/api\/v1|\.(csv|tsv|geojson)$/.test(path))
    .map(({ path }) => path)
  const known = [...pages.map(({ route }) => route), ...forPrograms]
  expect(pageRoutes.filter((route) => !known.includes(route))).toEqual([])
})

describe.skipIf(!browserIsInstalled)("In a browser", () => {
  let site: Site
  let browser: TestBrowser
  let visitors: Record<Who, { scripted: Visitor; plain: Visitor }>

  beforeAll(async () => {
    site = await startSite()
    browser = await startBrowser(site.service.url)
    const [admin, standard, nobody] = await Promise.all([
      visitorsAs("admin"),
      visitorsAs("standard"),
      visitorsAs("nobody"),
    ])
    visitors = { admin, standard, nobody }
  })

  afterAll(async () => {
    await browser.stop()
    await site.stop()
  })

  async function visitorsAs(who: Who) {
    const [scripted, plain] = await Promise.all([
      browser.visitor({ width: phoneWidth }),
      browser.visitor({ width: phoneWidth, javaScript: false }),
    ])
    await site.signIn(scripted, who)
    await site.signIn(plain, who)
    return { scripted, plain }
  }

  /** Opens it, and not a page that it leads to. */
  async function open(visitor: Visitor, example: PageExample): Promise<void> {
    const path = site.pathOf(example)
    await visitor.visit(path, example.status)
    expect(visitor.page.url()).toBe(site.service.url + path)
  }

  /** Fails if the page does not work without scripts. */
  async function assertPlain(visitor: Visitor): Promise<void> {
    await assertFits(visitor.page)
    await assertNeedsNoScript(visitor.page)
    await visitor.assertClean()
  }

  const isFirstOfKind = (example: PageExample): boolean =>
    pages.find(({ kind }) => kind === example.kind) === example

  test.each(pages.map((example) => [example.path, example.as ?? "nobody", example] as const))(
    "%s, opened by %s, obeys its policy, fits a phone and a desktop, and is accessible",
    async (_, as, example) => {
      const { scripted, plain } = visitors[as]
      await open(scripted, example)
      const { page } = scripted
      await scripted.assertClean()
      await assertFits(page)
      if (example.kind) await assertAccessible(page)
      await resize(page, desktopWidth)
      await assertFits(page)
      if (example.kind === "overview") expect(await page.evaluate(tablesCutOff)).toBe(0)
      if (example.kind && isFirstOfKind(example)) {
        await assertReadableInTheDark(page)
        await assertKeyboardReaches(page)
      }
      await resize(page, phoneWidth)
      if (!(await page.evaluate("document.scripts.length > 0"))) return assertPlain(scripted)
      await scripted.assertClean()
      await open(plain, example)
      await assertPlain(plain)
    },
  )

  test.each([
    [desktopWidth, 57],
    [phoneWidth, 110],
  ])("A header in a window of %d px has one height, at most %d px", async (width, most) => {
    const heights = new Set<number>()
    for (const [who, path] of [
      ["nobody", "/"],
      ["nobody", "/nothing-here"],
      ["standard", "/"],
      ["standard", "/account/tokens"],
      ["admin", "/explore/tenements"],
      ["admin", "/explore/companies/BIG"],
    ] as const) {
      const { page } = visitors[who].scripted
      await resize(page, width)
      await page.goto(path)
      heights.add((await page.locator(".site-header").boundingBox())?.height ?? 0)
      await resize(page, phoneWidth)
    }
    expect(heights.size).toBe(1)
    expect(Math.max(...heights)).toBeLessThanOrEqual(most)
  })

  test("The first Tab press offers a link to the content", async () => {
    const { page, visit } = visitors.nobody.scripted
    await visit("/docs")
    await page.keyboard.press("Tab")
    expect(await page.textContent(":focus")).toBe("Skip to content")
    await page.keyboard.press("Enter")
    await page.keyboard.press("Tab")
    expect(
      await page.evaluate("document.querySelector('main').contains(document.activeElement)"),
    ).toBe(true)
  })

  test("A copy button copies exactly the text beside it, and confirms it", async () => {
    const { page, visit } = visitors.nobody.scripted
    await visit("/docs/guide/start")
    const button = page.locator("[data-copy]").first()
    const text = await page.locator("pre code").first().textContent()
    await button.click()
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(text)
    expect(await button.textContent()).toBe("Copied")
  })
})
