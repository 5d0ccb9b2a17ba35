/**
 * Shows how the pages look: writes each as PNG at the width of a desktop and of a phone, light and dark,
 * over the tests' own records. Not a test; `bun test/browser/screenshots.ts DIRECTORY [PATH…]`.
 */
import { mkdirSync } from "node:fs"
import { join } from "node:path"
import { startBrowser, type Visitor } from "../support/browser.ts"
import { desktopWidth, phoneWidth } from "../support/usable.ts"
import { pages, type Who } from "./pages.ts"
import { startSite } from "./site.ts"

const [directory, ...paths] = process.argv.slice(2)
if (directory === undefined) throw new Error("Give a directory for the pictures")
mkdirSync(directory, { recursive: true })

const site = await startSite()
const browser = await startBrowser(site.service.url)
const chosen = paths.length > 0 ? paths.map((path) => ({ path, as: "admin" as const })) : pages

for (const who of ["admin", "standard", "nobody"] as const) {
  const visitor = await browser.visitor()
  await site.signIn(visitor, who)
  for (const example of chosen.filter(({ as = "nobody" }) => as === who)) {
    await take(visitor, site.pathOf(example), who)
  }
  await visitor[Symbol.asyncDispose]()
}
await browser.stop()
await site.stop()

async function take({ page }: Visitor, path: string, who: Who): Promise<void> {
  await page.goto(path)
  const name = `${path.replace(/\W+/g, "-").replace(/^-|-$/g, "") || "overview"}-${who}`
  for (const [kind, width] of [
    ["desktop", desktopWidth],
    ["phone", phoneWidth],
  ] as const) {
    await page.setViewportSize({ width, height: 800 })
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme })
      const file = join(directory ?? "", `${name}-${kind}-${colorScheme}.png`)
      await page.screenshot({ path: file, fullPage: true, animations: "disabled" })
    }
  }
}
