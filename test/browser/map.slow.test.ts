/** The map in a real browser: points and shapes, the tenement that a person chooses, and the requests that moves cost. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { load } from "../../src/ingest/loading/load.ts"
import { ownCompanies, ownTenements } from "../../src/ingest/sources/own-columns.ts"
import { sampleData } from "../../src/sample/sample-data.ts"
import { makeGeometry } from "../../src/sample/shapes.ts"
import {
  browserIsInstalled,
  startBrowser,
  type TestBrowser,
  type Visitor,
  type VisitorOptions,
} from "../support/browser.ts"
import { none } from "../support/fixtures.ts"
import { directoryOfFile } from "../support/of-file.ts"
import { type TestService, testService } from "../support/service.ts"
import { until } from "../support/until.ts"
import { assertAccessible, phoneWidth } from "../support/usable.ts"
import { signedInByLink } from "../web/pages/visitor.ts"

/** A district of the sample, where few tenements are in view. */
const district = "/explore/map?bbox=120.2,-31.65,123.3,-30.35"

const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGD4DwABBAEAX+XDSwAAAABJRU5ErkJggg==",
  "base64",
)

describe.skipIf(!browserIsInstalled)("In a browser", () => {
  let service: TestService
  let browser: TestBrowser
  let tiles: ReturnType<typeof Bun.serve>
  const directory = directoryOfFile()
  const tileRequests: { path: string; referrer: string | null }[] = []

  beforeAll(async () => {
    tiles = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: ({ url, headers }) => {
        tileRequests.push({ path: new URL(url).pathname, referrer: headers.get("referer") })
        return new Response(png, { headers: { "Content-Type": "image/png" } })
      },
    })
    service = await testService({ records: none, now: new Date() })
    const file = join(directory, "tenements.ndjson")
    const { companies, tenements } = sampleData({
      sizes: { companies: 30, tenements: 2_400, subsidiaries: 60, reports: 0 },
    })
    const records = [...tenements()].map((each) => ({ ...each, geometry: makeGeometry(each) }))
    // The last record of the map's data has no values.
    const last = { id: "WA-ZZ1", tenement_id: "ZZ1", state: "WA" }
    await Bun.write(
      file,
      [...records, last].map((record) => `${JSON.stringify(record)}\n`),
    )
    const listed = join(directory, "companies.ndjson")
    await Bun.write(
      listed,
      [...companies()].map((record) => `${JSON.stringify(record)}\n`),
    )
    const { url } = service.database
    await load({ url, source: ownCompanies, files: [listed] })
    await load({ url, source: ownTenements, files: [file] })
    browser = await startBrowser(service.url)
  })

  afterAll(async () => {
    await browser.stop()
    await service.stop()
    await tiles.stop(true)
  })

  async function visitorAs(plan: "standard" | "admin", options?: VisitorOptions) {
    const visitor = await browser.visitor(options)
    const { jar } = await signedInByLink(service, `${plan}@example.com`)
    await visitor.signIn(jar.cookie ?? "")
    return visitor
  }

  test("Many tenements are points, few are shapes; the list and the address follow the map", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit("/explore/map")
    expect(await note(visitor)).toMatch(
      /^Tenements in view: 2,3\d\d, as points. Zoom in to see their shapes/,
    )
    expect(await paintedTiles(visitor)).toBeGreaterThan(0)
    await page.locator("#map").focus()
    for (const key of ["+", "+", "ArrowLeft"]) await press(visitor, key)
    const count = (text: string | null) => /\d+(,\d+)*/.exec(text ?? "")?.[0]
    await noteThat(visitor, /as shapes/)
    const counted = async () =>
      count(await note(visitor)) === count(await page.textContent("#lead"))
    expect(await counted()).toBe(true)
    const wide = page.url()
    await page.setViewportSize({ width: 700, height: 800 })
    await page.waitForURL((url) => url.href !== wide)
    await until(counted)
    const shown = await note(visitor)
    const address = page.url()
    await page.getByRole("link", { name: "List", exact: true }).click()
    await page.waitForURL(({ href }) => href === address.replace("/map?", "/tenements?"))
    await page.goBack()
    expect(await noteThat(visitor, /as shapes/)).toBe(shown)
    expect(page.url()).toBe(address)
    await visitor.assertClean()
  })

  test("A filter moves the map to its matches, and a circle to its place", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit("/explore/map")
    await note(visitor)
    await page.getByRole("combobox", { name: "State" }).selectOption("TAS")
    const tasmania = await noteThat(visitor, /as shapes/)
    expect(tasmania).toMatch(/view: 1\d\d, as shapes/)
    await page.locator("#map").focus()
    await page.keyboard.press("+")
    await page.waitForURL(/state=TAS&bbox=1|bbox=.*state=TAS/)
    const moved = page.url()
    await page.getByRole("combobox", { name: "State" }).selectOption("")
    await page.waitForURL(({ search }) => !search.includes("state"))
    await page.goBack()
    expect(page.url()).toBe(moved)
    await until(async () => (await page.textContent("#lead"))?.includes("Tasmania") ?? false)
    await page.getByRole("combobox", { name: "State" }).selectOption("")
    await page.locator("summary", { hasText: "More filters" }).click()
    await page.getByLabel("Near a place").fill("-30.75,121.47,50")
    await page.getByLabel("Near a place").press("Enter")
    await page.waitForURL("**/explore/map?near=-30.75%2C121.47%2C50")
    await until(async () => (await note(visitor)) !== tasmania)
    expect(await page.textContent("#lead")).toContain("within 50 km of Kalgoorlie")
    expect(await page.locator(".town", { hasText: "Kalgoorlie" }).isVisible()).toBe(true)
    await visitor.assertClean()
  })

  test("One finger and the wheel scroll the page past the map; two fingers and Ctrl zoom it", async () => {
    await using visitor = await visitorAs("admin", { hasTouch: true })
    const { page, visit, context } = visitor
    await visit(district)
    await noteThat(visitor, /as shapes/)
    await page.waitForURL((url) => !url.href.endsWith(district))
    const place = await page.locator("#map").boundingBox()
    const [x, y] = [(place?.x ?? 0) + 300, (place?.y ?? 0) + 200]
    const address = page.url()
    const scrolled = () => page.evaluate<number>("scrollY")
    const devtools = await context.newCDPSession(page)
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", ...touchPoints: Place[]) =>
      devtools.send("Input.dispatchTouchEvent", { type, touchPoints })
    await page.mouse.move(x, y)
    await page.mouse.wheel(0, 100)
    await until(async () => (await scrolled()) > 50)
    await page.evaluate("scrollTo(0, 0)")
    await touch("touchStart", { x, y })
    for (let moved = 10; moved <= 100; moved += 10) await touch("touchMove", { x, y: y - moved })
    await touch("touchEnd")
    await until(async () => (await scrolled()) > 50)
    await page.evaluate("scrollTo(0, 0)")
    expect(page.url()).toBe(address)
    await page.evaluate("scrollTo(0, 0)")
    await page.keyboard.down("Control")
    await page.mouse.wheel(0, 100)
    await page.keyboard.up("Control")
    await page.waitForURL((url) => url.href !== address)
    const [zoomedOut, scrolledTo] = [page.url(), await scrolled()]
    await touch("touchStart", { x: x - 20, y }, { x: x + 20, y })
    for (let moved = 30; moved <= 80; moved += 10) {
      await touch("touchMove", { x: x - moved, y }, { x: x + moved, y })
    }
    await touch("touchEnd")
    await page.waitForURL((url) => url.href !== zoomedOut)
    expect(await scrolled()).toBe(scrolledTo)
    await visitor.assertClean()
  })

  test("A place, a town or a number moves the map to it; a button shows the whole again", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit("/explore/map?status=granted")
    const whole = await note(visitor)
    const sought = page.getByRole("combobox", { name: "Town, latitude and longitude" })
    const find = async (text: string) => {
      await sought.fill(text)
      await sought.press("Enter")
    }
    for (const [text, town] of [
      ["kalgoorlie", "Kalgoorlie"],
      ["-20.73, 139.49", "Mount Isa"],
    ] as const) {
      await find(text)
      await page.waitForURL(({ search }) => search.includes("bbox="))
      await until(() => page.locator(".town", { hasText: town }).isVisible())
      const [map, label] = await Promise.all([
        page.locator("#map").boundingBox(),
        page.locator(".town", { hasText: town }).boundingBox(),
      ])
      expect(Math.abs(middle(map) - middle(label))).toBeLessThan(5)
      await page.getByRole("button", { name: "Reset view" }).click()
      await page.waitForURL(({ search }) => search === "?status=granted")
      expect(await noteThat(visitor, /in view/)).toBe(whole)
    }
    const listed = await service.get(
      "/tenements?status=granted&sort=area_km2&order=desc&per_page=1",
    )
    const [{ id, tenement_id }] = Object(await listed.json()).data
    await find(tenement_id.toLowerCase().replace(/[ /]/g, ""))
    await page.locator(".leaflet-popup-content").waitFor()
    expect(await page.locator(".leaflet-popup-content a").first().textContent()).toBe(tenement_id)
    expect(page.url()).toEndWith(`#${new URLSearchParams({ id })}`)
    await page.waitForURL(({ search }) => search.includes("bbox="))
    await page.waitForSelector("#results:not([aria-busy])")
    for (const unknown of ["Nowhere", "-91, 20"]) {
      await find(unknown)
      await noteThat(visitor, RegExp(`^The map has no “${unknown}”. Type a town`))
    }
    expect(await page.locator(".leaflet-control-scale-line").textContent()).toMatch(/^\d+ k?m$/)
    await assertAccessible(page)
    await visitor.assertClean()
  })

  test("The scale bar holds its words, a point in view can be chosen, and a tenement found among points shows its card and outline", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit("/explore/map")
    await noteThat(visitor, /as points/)
    const scale = `document.querySelector(".leaflet-control-scale-line")`
    expect(await page.evaluate(`${scale}.scrollWidth <= ${scale}.clientWidth`)).toBe(true)
    const card = page.locator(".leaflet-popup-content")
    await page.getByRole("button", { name: "Step through" }).click()
    await card.waitFor()
    const first = await card.locator("a").first().textContent()
    const listed = await service.get("/tenements?sort=area_km2&order=desc&per_page=1")
    const [{ tenement_id: largest }] = Object(await listed.json()).data
    const sought = page.getByRole("combobox", { name: "Town, latitude and longitude" })
    for (const number of [String(largest), String(first)]) {
      await sought.fill(number)
      await sought.press("Enter")
      await until(async () => (await card.locator("a").first().textContent()) === number)
      await noteThat(visitor, /as shapes/)
      await until(() => page.evaluate(hasInkOnCanvas))
    }
    await visitor.assertClean()
  })

  test("Tenements have the colours of the companies with the most of them", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    for (const path of ["/explore/map", district]) {
      await visit(path)
      await note(visitor)
      await page.locator("#colour").selectOption({ label: "Company" })
      const legend = page.locator("#legend span")
      expect(await legend.allTextContents()).toEqual([
        ...Array(4).fill(expect.stringMatching(/^[A-Z0-9]{3,6}$/)),
        "others",
      ])
      await page.waitForSelector("#results:not([aria-busy])")
    }
    await visitor.assertClean()
  })

  test("The legend has the companies of the points again after shapes were shown", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit("/explore/map#colour=asx_codes")
    await noteThat(visitor, /as points/)
    const legend = () => page.locator("#legend span").allTextContents()
    const ofPoints = await legend()
    await page.locator("#map").focus()
    for (const key of ["+", "+", "+"]) await press(visitor, key)
    await noteThat(visitor, /as shapes/)
    expect(await legend()).not.toEqual(ofPoints)
    for (const key of ["-", "-", "-"]) await press(visitor, key)
    await noteThat(visitor, /as points/)
    expect(await legend()).toEqual(ofPoints)
    await visitor.assertClean()
  })

  test("A view at the edge of the world is a box that the service accepts", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit(district)
    await noteThat(visitor, /as shapes/)
    for (const [view, box] of [
      ["[[-1, 179.5], [-1.2e-7, 180.5]]", "179.5,-1,180,0"],
      ["[[-1.2e-7, 130], [1, 131]]", "130,-0.00001,131,0"],
    ] as const) {
      await page.evaluate(`L.Map.prototype.getBounds = () => L.latLngBounds(${view})`)
      await page.locator("#map").focus()
      await page.keyboard.press("ArrowUp")
      await page.waitForURL(({ searchParams }) => searchParams.get("bbox") === box)
    }
    await noteThat(visitor, /view: 0,/)
    const next = page.getByRole("button", { name: "Step through" })
    expect(await next.isDisabled()).toBe(true)
    await visit(district)
    await noteThat(visitor, /as shapes/)
    expect(await next.isEnabled()).toBe(true)
    await visitor.assertClean()
  })

  test("If the list cannot be loaded, the map shows the reason in place of a count, until it can", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit, context } = visitor
    await visit(district)
    await noteThat(visitor, /as shapes/)
    await page.waitForURL((url) => !url.href.endsWith(district))
    await context.setOffline(true)
    await page.locator("#map").focus()
    await page.keyboard.press("ArrowUp")
    await noteThat(visitor, /^The results can't be loaded. Check your connection/)
    await context.setOffline(false)
    await page.keyboard.press("ArrowUp")
    await noteThat(visitor, /as shapes/)
    await page.locator("summary", { hasText: "More filters" }).click()
    await until(() => page.evaluate(hasDrawing))
    const company = page.getByRole("textbox", { name: "Company" })
    await company.fill("ZZZZZ")
    await company.press("Enter")
    await noteThat(visitor, /^Tenements in view: 0/)
    await until(async () => !(await page.evaluate(hasDrawing)))
    expect(await page.getByRole("button", { name: "Step through" }).isDisabled()).toBe(true)
    await visit("/explore/map?near=Kalgoorlie")
    await noteThat(visitor, /as shapes/)
    await until(() => page.evaluate(hasInkOnCanvas))
    await page.locator("summary", { hasText: "More filters" }).click()
    const around = page.getByLabel("Near a place")
    await around.fill("Nowhere")
    await around.press("Enter")
    await noteThat(visitor, /^Invalid filter/)
    await until(async () => !(await page.evaluate(hasDrawing)))
    expect(await page.getByRole("button", { name: "Step through" }).isDisabled()).toBe(true)
    await around.fill("-30.75,121.47,50")
    await around.press("Enter")
    await noteThat(visitor, /as shapes/)
    await until(() => page.evaluate(hasInkOnCanvas))
    await visit("/explore/map?company=ZZZZZ")
    await noteThat(visitor, /Unknown company code “ZZZZZ”/)
    expect(await page.locator(".leaflet-control-scale-line").textContent()).toMatch(/^\d+ km$/)
  })

  test("The circle and the coast have the colour of the text, also after the scheme changes", async () => {
    await using visitor = await visitorAs("admin", { scheme: "dark" })
    const { page, visit } = visitor
    await visit("/explore/tenements?near=-30.75,121.47,50")
    const record = await page.locator("tbody a").first().getAttribute("href")
    const id = record?.split("/").at(-1)
    for (const near of [`${id},20`, "-30.75,121.47,50"]) {
      await visit(`/explore/map?near=${near}`)
      await noteThat(visitor, /as shapes/)
      await until(() => page.evaluate(hasInkOnCanvas))
    }
    for (const scheme of ["dark", "light"] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await until(() => page.evaluate(hasInkOnCanvas))
    }
    await page.emulateMedia({ media: "print" })
    expect(await page.locator("#legend").getByText("granted").isVisible()).toBe(true)
    expect(await page.locator(".leaflet-control-scale").isVisible()).toBe(true)
    for (const control of ["#next", ".leaflet-control-zoom"]) {
      expect(await page.locator(control).isVisible()).toBe(false)
    }
    await visitor.assertClean()
  })

  test("A filter adds one entry to the browser history, and moves add none", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit("/explore/map")
    await note(visitor)
    const steps = Number(await page.evaluate("history.length"))
    await page.locator("#map").focus()
    for (const key of ["+", "ArrowLeft"]) await press(visitor, key)
    const moved = page.url()
    await page.getByRole("combobox", { name: "State" }).selectOption("WA")
    await page.waitForURL(/state=WA/)
    expect(await page.evaluate("history.length")).toBe(steps + 1)
    await page.goBack()
    await page.waitForURL(moved)
    await visitor.assertClean()
  })

  test("A click or a key chooses a tenement: its facts, the way to its record, and a link to all that", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit(district)
    await noteThat(visitor, /as shapes/)
    // The window shows more than the box, so the list is loaded again.
    await page.waitForURL(/bbox=[\d.]+%2C/)
    await page.locator("#map").focus()
    await page.keyboard.press("n")
    const card = page.locator(".leaflet-popup-content")
    await card.waitFor()
    const first = await card.locator("a").first().textContent()
    for (const fact of ["Status", "Holder", "Company", "Granted", "Expires"]) {
      expect(await card.getByText(fact, { exact: true }).isVisible()).toBe(true)
    }
    expect(await page.textContent("#announcement")).toMatch(RegExp(`^${first} .* Status granted `))
    await assertAccessible(page)
    const address = page.url()
    expect(address).toMatch(/#id=WA-/)
    await page.getByRole("button", { name: "Step through" }).click()
    await until(async () => (await card.locator("a").first().textContent()) !== first)
    await page.locator("#map").focus()
    await page.keyboard.press("Escape")
    await until(async () => !(await card.isVisible()))
    await page.goto("about:blank")
    await page.goto(address)
    await card.waitFor()
    expect(await card.locator("a").first().textContent()).toBe(first)
    // By a key: a click can miss while the map moves to show the card.
    await card.locator("a").first().press("Enter")
    await page.waitForURL(/\/explore\/tenements\/WA-/)
    expect(await page.textContent("h1")).toBe(first)
    expect(await page.getByRole("img", { name: "The shape" }).isVisible()).toBe(true)
    await assertAccessible(page)
    await visitor.assertClean()
  })

  test("Twenty moves within loaded areas count no request, and reopening the map counts one", async () => {
    await using visitor = await visitorAs("standard")
    const { page, visit } = visitor
    await visit(district)
    await noteThat(visitor, /as shapes/)
    const before = await used()
    await page.locator("#map").focus()
    for (let turn = 0; turn < 10; turn++) {
      await press(visitor, "ArrowRight")
      await press(visitor, "ArrowLeft")
    }
    expect((await used()) - before).toBe(0)
    await visit(district)
    await noteThat(visitor, /as shapes/)
    expect((await used()) - before).toBe(1)
    await visitor.assertClean()
  })

  async function used(): Promise<number> {
    const response = await service.get("/usage", { token: service.tokens.standard })
    return Object(await response.json()).data.used
  }

  test("After the session has ended, a choice on the map leads to sign in, and back", async () => {
    await using visitor = await visitorAs("admin")
    const { page, visit } = visitor
    await visit(district)
    await noteThat(visitor, /as shapes/)
    // The list follows the box that the map fits into its place: its request would lead to sign in first.
    await page.waitForURL((url) => !url.href.endsWith(district))
    await page.waitForSelector("#results:not([aria-busy])")
    await visitor.context.clearCookies()
    await page.getByRole("button", { name: "Step through" }).click()
    await page.waitForURL("**/account/sign-in?next=%2Fexplore%2Fmap%3F*")
    await visitor.assertClean()
  })

  test("On a phone the map is usable, and links keep its colours", async () => {
    await using phone = await visitorAs("admin", { width: phoneWidth, hasTouch: true })
    const { page, visit } = phone
    await visit(`${district}&state=WA`)
    await noteThat(phone, /as shapes/)
    const { height = 0 } = (await page.locator("#map").boundingBox()) ?? {}
    expect(height).toBeLessThanOrEqual(0.6 * 800)
    for (const button of await page.locator(".leaflet-bar a").all()) {
      const box = await button.boundingBox()
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(38)
    }
    await page.locator("#colour").selectOption("type")
    await page.reload()
    await noteThat(phone, /as shapes/)
    expect(await page.locator("#colour").inputValue()).toBe("type")
    expect(await page.textContent("#legend")).toContain("exploration")
    await page.getByRole("link", { name: "in Western Australia" }).click()
    await page.waitForURL(({ search }) => !search.includes("state"))
    await noteThat(phone, /as shapes/)
    expect(await page.locator("#colour").inputValue()).toBe("type")
    await page.getByRole("button", { name: "Step through" }).click()
    const card = page.locator(".leaflet-popup-content")
    await card.waitFor()
    const [ofMap, ofCard] = await Promise.all([
      page.locator("#map").boundingBox(),
      page.locator(".leaflet-popup").boundingBox(),
    ])
    expect(ofCard?.height).toBeLessThan((ofMap?.height ?? 0) / 2)
    await card.locator("dd").last().scrollIntoViewIfNeeded()
    expect(await card.locator("dd").last().isVisible()).toBe(true)
    expect(await page.getByText("Ctrl + wheel").isVisible()).toBe(false)
    await visit("/explore/map?holder=nobody")
    await noteThat(phone, /^No tenement matches. Remove a filter/)
    await phone.assertClean()
  })

  test("Tiles of a base map come from their own host, which sees only the service's address", async () => {
    await using tiled = await testService({
      settings: { MAP_TILES: `${tiles.url}{z}/{x}/{y}.png`, MAP_ATTRIBUTION: "© Example" },
      now: new Date(),
    })
    await using other = await startBrowser(tiled.url, tiles.url.origin)
    await using visitor = await other.visitor()
    const { jar } = await signedInByLink(tiled, "admin@example.com")
    await visitor.signIn(jar.cookie ?? "")
    await visitor.visit("/explore/map?holder=secret")
    await noteThat(visitor, /^No tenement matches/)
    await until(() => tileRequests.length > 3)
    for (const { path, referrer } of tileRequests) {
      expect([/^\/\d+\/\d+\/\d+\.png$/.test(path), referrer]).toEqual([true, `${tiled.url}/`])
    }
    expect(await visitor.page.getByText("© Example").isVisible()).toBe(true)
    const file = join(directory, "one.ndjson")
    const outline = [
      [121, -31],
      [121.1, -31],
      [121.1, -30.9],
      [121, -31],
    ]
    const geometry = { type: "Polygon", coordinates: [outline] }
    await Bun.write(file, JSON.stringify({ id: "VIC-1", tenement_id: "1", state: "VIC", geometry }))
    const { url } = tiled.database
    await load({ url, source: ownTenements, files: [file], acceptShrink: true })
    tileRequests.length = 0
    await visitor.visit("/explore/map?search=VIC-1")
    await noteThat(visitor, /^Tenements in view: 1, as shapes/)
    await until(() => tileRequests.length > 3)
    // Not first those of the whole of Australia.
    for (const { path } of tileRequests) expect(Number(path.split("/")[1])).toBeGreaterThan(8)
    await visitor.assertClean()
  })
})

/** Of a box in the window. */
const middle = (box: { x: number; width: number } | null): number =>
  (box?.x ?? 0) + (box?.width ?? 0) / 2

interface Place {
  x: number
  y: number
}

/** @param condition of a pixel of the canvas above the land, from `data[at]` on */
const canvasHas = (condition: string) => `(() => {
  const ink = getComputedStyle(document.body).color.match(/\\d+/g).join()
  const canvas = document.querySelector(".leaflet-overlay-pane > canvas")
  const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d")
  copy.drawImage(canvas, 0, 0)
  const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
  for (let at = 0; at < data.length; at += 4) if (${condition}) return true
  return false
})()`
/** In the colour of the text. */
const hasInkOnCanvas = canvasHas("data[at + 3] === 255 && data.slice(at, at + 3).join() === ink")
const hasDrawing = canvasHas("data[at + 3] > 0")

/** Moves the map by keyboard, and waits for the list. */
async function press({ page }: Visitor, key: string): Promise<void> {
  const list = page.waitForResponse((response) => response.url().includes("/explore/map?"))
  await page.keyboard.press(key)
  await (await list).finished()
  await until(async () => (await page.locator("#results[aria-busy]").count()) === 0)
}

/** The sentence above the map, once the map is drawn. */
const note = (visitor: Visitor) => noteThat(visitor, /in view/)

async function noteThat({ page }: Visitor, pattern: RegExp): Promise<string> {
  let text = ""
  await until(async () => {
    text = (await page.textContent("#map-note")) ?? ""
    return pattern.test(text)
  })
  return text
}

/** The number of tiles with a point. */
const paintedTiles = ({ page }: Visitor) =>
  page.evaluate<number>(`[...document.querySelectorAll("canvas.leaflet-tile")].filter((tile) =>
    tile.getContext("2d").getImageData(0, 0, tile.width, tile.height).data.some((value) => value > 0)).length`)
