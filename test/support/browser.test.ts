/** The browser tests notice each fault of a page that they are to notice. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import {
  browserIsInstalled,
  reportIfSkipped,
  startBrowser,
  type TestBrowser,
  type Visitor,
} from "./browser.ts"
import {
  assertAccessible,
  assertFits,
  assertKeyboardReaches,
  assertReadableInTheDark,
  desktopWidth,
  phoneWidth,
  resize,
} from "./usable.ts"

reportIfSkipped(import.meta.path)

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src http://elsewhere.example"

/** Served by the tests' own server; each is the body of a page. */
const pages: Record<string, string> = {
  good: `<a href="#main">Skip</a><main id="main"><h1>Good</h1><button>Do</button></main>`,
  inline: `<p style="color: red">Red</p>`,
  console: `<script src="/console.js"></script>`,
  thrown: `<script src="/thrown.js"></script>`,
  fetching: `<script src="/fetching.js"></script>`,
  missing: `<script src="/missing.js"></script>`,
  wide: `<div><pre>${"wide ".repeat(200)}</pre></div>`,
  unlabelled: `<main><h1>Form</h1><form><input name="q"></form></main>`,
  tiny: `<main><h1>Tiny</h1><link rel="stylesheet" href="/tiny.css"><button>a</button><button>b</button></main>`,
  dark: `<link rel="stylesheet" href="/dark.css"><main><h1>Dark</h1><p>Unread</p></main>`,
  ringless: `<link rel="stylesheet" href="/ringless.css"><a href="/good">Good</a>`,
  covered: `<link rel="stylesheet" href="/covered.css"><header>Over all</header><a href="/good">Good</a>`,
  unordered: `<button tabindex="2">Second</button><button tabindex="1">First</button>`,
}
const files: Record<string, string> = {
  "console.js": `console.info("noise")`,
  "thrown.js": `throw new Error("broken")`,
  "fetching.js": `fetch("http://elsewhere.example/beacon").catch(() => {})`,
  "tiny.css": `button { padding: 0; border: 0; width: 12px; height: 12px; font-size: 8px }`,
  "dark.css": `@media (prefers-color-scheme: dark) { html { background: #222; color: #333 } }`,
  "covered.css": `header { position: fixed; inset: 0; background: #fff }`,
  "ringless.css": `:focus { outline: none }`,
}

describe.skipIf(!browserIsInstalled)("in a browser", () => {
  let server: Bun.Server<undefined>
  let browser: TestBrowser
  let visitor: Visitor

  beforeAll(async () => {
    server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: respond })
    browser = await startBrowser(server.url.origin)
    visitor = await browser.visitor()
  })

  afterAll(async () => {
    await browser.stop()
    await server.stop(true)
  })

  test("a good page passes every check", async () => {
    await visitor.visit("/good")
    await visitor.assertClean()
    await assertFits(visitor.page)
    await assertAccessible(visitor.page)
    await assertReadableInTheDark(visitor.page)
    await assertKeyboardReaches(visitor.page)
  })

  test.each([
    ["inline", "violates its policy: style-src-attr inline"],
    ["console", "info on the console of"],
    ["thrown", "thrown: Error: broken"],
    ["fetching", "request to http://elsewhere.example/beacon"],
    ["missing", "the server responded with a status of 404"],
  ])("a page with a fault is not clean: %s", async (name, fault) => {
    await visitor.visit(`/${name}`)
    expect(await failureOf(visitor.assertClean())).toContain(fault)
    await visitor.visit("/good")
    await visitor.assertClean()
  })

  test("a page that could not be found is clean, and not what was to be visited", async () => {
    await visitor.visit("/nothing", 404)
    await visitor.assertClean()
    expect(await failureOf(visitor.visit("/nothing"))).toContain("404")
  })

  test("a line that is too long for a phone is named", async () => {
    await visitor.visit("/wide")
    await resize(visitor.page, phoneWidth)
    expect(await failureOf(assertFits(visitor.page))).toContain("<pre >")
    await resize(visitor.page, desktopWidth)
  })

  test.each([
    ["unlabelled", "label"],
    ["tiny", "target-size"],
  ])("axe finds the fault of a page: %s", async (name, fault) => {
    await visitor.visit(`/${name}`)
    expect(await failureOf(assertAccessible(visitor.page))).toContain(fault)
  })

  test("axe finds what can't be read in the dark", async () => {
    await visitor.visit("/dark")
    await assertAccessible(visitor.page)
    expect(await failureOf(assertReadableInTheDark(visitor.page))).toContain("color-contrast")
  })

  test.each([
    ["ringless", "no ring: <a /good>"],
    ["unordered", "First"],
    ["covered", "behind <header"],
  ])("the keyboard's user finds the fault of a page: %s", async (name, fault) => {
    await visitor.visit(`/${name}`)
    expect(await failureOf(assertKeyboardReaches(visitor.page))).toContain(fault)
  })

  test("without scripts, none runs and every check but axe does", async () => {
    await using plain = await browser.visitor({ javaScript: false })
    await plain.visit("/thrown")
    await plain.assertClean()
    await plain.visit("/inline")
    expect(await failureOf(plain.assertClean())).toContain("Content Security Policy")
    await resize(plain.page, phoneWidth)
    await plain.visit("/wide")
    expect(await failureOf(assertFits(plain.page))).toContain("<pre >")
    await plain.visit("/ringless")
    expect(await failureOf(assertKeyboardReaches(plain.page))).toContain("no ring")
  })
})

/**
 * What the promise is rejected with. Bun's own `rejects` blocks while it waits, which delays the
 * browser's messages by seconds.
 */
const failureOf = (promise: Promise<void>): Promise<string> => promise.then(() => "none", String)

function respond({ url }: Request): Response {
  const name = new URL(url).pathname.slice(1)
  const file = files[name]
  if (file) return new Response(file, { headers: { "Content-Type": typeOf(name) } })
  const status = name in pages ? 200 : 404
  const body = `<!doctype html><html lang="en"><title>${name}</title><meta name="viewport" content="width=device-width">${pages[name] ?? "None"}</html>`
  const headers = { "Content-Type": "text/html; charset=utf-8", "Content-Security-Policy": policy }
  return new Response(body, { status, headers })
}

const typeOf = (name: string): string => (name.endsWith(".js") ? "text/javascript" : "text/css")
