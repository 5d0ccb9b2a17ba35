/** The accessibility of a page: readable text, reachable content, and targets large enough for a finger. */
import { expect } from "bun:test"
import type { AxeResults, RunOptions } from "axe-core"
import type { Page } from "playwright-core"

/** Of a window in CSS pixels, the narrowest that the pages are made for. */
export const phoneWidth = 360
export const desktopWidth = 1240

const textOf = (path: string) => Bun.file(new URL(path, import.meta.url)).text()
const axeSource = await Bun.file(
  Bun.fileURLToPath(import.meta.resolve("axe-core/axe.min.js")),
).text()
const inPageSource = await textOf("in-page.js")

/** Sets the width of the page's window. */
export const resize = (page: Page, width: number): Promise<void> =>
  page.setViewportSize({ width, height: 800 })

/** Fails if the page is wider than its window. */
export async function assertFits(page: Page): Promise<void> {
  expect(await inPage(page, "overflowing")).toEqual([])
}

/** Every rule for WCAG 2.2 AA, the size of targets included, which axe leaves out unless asked. */
const wholeStandard: RunOptions = {
  runOnly: { type: "tag", values: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"] },
  rules: { "target-size": { enabled: true } },
}

/** What the other colour scheme can break. */
const coloursAlone: RunOptions = { runOnly: { type: "rule", values: ["color-contrast"] } }

/** Fails on every serious or critical fault that axe finds. */
export async function assertAccessible(page: Page): Promise<void> {
  expect(await axeFaults(page, wholeStandard)).toEqual([])
}

/** Fails on text that can't be read well in the dark colour scheme. */
export async function assertReadableInTheDark(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: "dark" })
  await page.evaluate("document.getAnimations().forEach((each) => each.finish())")
  const faults = await axeFaults(page, coloursAlone)
  await page.emulateMedia({ colorScheme: "light" })
  expect(faults).toEqual([])
}

async function axeFaults(page: Page, options: RunOptions): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource)
  const { violations }: AxeResults = await page.evaluate(
    `axe.run(document, ${JSON.stringify({ ...options, resultTypes: ["violations"], preload: false })})`,
  )
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} at ${target}: ${failureSummary}`),
    )
}

/** How many more stops a page may have than it has controls: regions that scroll, parts of dates. */
const maxOthers = 200

/** Fails unless the Tab key reaches everything, in the order of the page, and shows where it is. */
export async function assertKeyboardReaches(page: Page): Promise<void> {
  const stops = await inPage(page, "tabStops")
  const reached: string[] = []
  const faults: string[] = []
  for (let presses = 0; presses < stops.length + maxOthers; presses++) {
    await page.keyboard.press("Tab")
    const { name, fault } = await inPage<{ name?: string; fault?: string }>(page, "focus")
    if (!name || name === reached[0]) break
    if (name === reached.at(-1)) continue
    reached.push(name)
    if (fault) faults.push(fault)
  }
  expect(faults).toEqual([])
  expect(reached.filter((name) => stops.includes(name))).toEqual(stops)
}

/** Fails if a control of the page needs a script to do anything. */
export async function assertNeedsNoScript(page: Page): Promise<void> {
  expect(await inPage(page, "deadControls")).toEqual([])
}

async function inPage<Result = string[]>(page: Page, name: string): Promise<Result> {
  const call = `inPage.${name}()`
  const result: Result | undefined = await page.evaluate(`globalThis.inPage && ${call}`)
  if (result !== undefined) return result
  await page.evaluate(inPageSource)
  return page.evaluate(call)
}
