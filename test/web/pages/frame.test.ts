/** Every page has the same frame and headers, errors are pages for people, and assets never change at their address. */
import { expect, test } from "bun:test"
import { enterpriseLimit, serviceOfFile } from "../../support/service.ts"
import { signedInVisitor } from "./visitor.ts"

const service = await serviceOfFile()

const browser = { Accept: "text/html,application/xhtml+xml,*/*;q=0.8" }
const open = (path: string, init: RequestInit = {}) =>
  fetch(`${service.url}${path}`, {
    redirect: "manual",
    ...init,
    headers: { ...browser, ...init.headers },
  })

test("An unknown path is a page for a browser, and the error envelope for a program", async () => {
  const page = await open("/nothing-here?<script>")
  expect(page.status).toBe(404)
  expect(Object.fromEntries(page.headers)).toMatchObject({
    "content-type": "text/html; charset=utf-8",
    "referrer-policy": "same-origin",
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    vary: "Cookie, Accept-Encoding",
  })
  const text = await page.text()
  expect(text).toContain("<h1>There is no page at this address</h1>")
  for (const path of ["/", "/explore", "/docs", "/account"]) {
    expect(text.slice(text.indexOf("<main"))).toContain(`<li><a href="${path}">`)
  }
  expect(text).toContain(page.headers.get("x-request-id") ?? "no id")
  expect(text).not.toContain("<script>")

  const response = await open("/nothing-here", { headers: { Accept: "*/*" } })
  expect([response.status, await response.json()]).toEqual([
    404,
    { error: { code: "NOT_FOUND", message: "Resource not found" } },
  ])
  const api = await open("/api/v1/nothing-here")
  expect([api.status, api.headers.get("content-type")]).toEqual([401, "application/json"])
})

test("The stylesheet and the scripts of a page are at addresses that name their content", async () => {
  const text = await (await open("/nothing-here")).text()
  const paths = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, path]) => path)
  expect(paths.length).toBeGreaterThanOrEqual(2)
  for (const path of paths) {
    const asset = await open(String(path))
    expect([path, asset.status]).toEqual([path, 200])
    expect(asset.headers.get("cache-control")).toBe("public, max-age=31536000, immutable")
    const hash = Bun.CryptoHasher.hash("sha256", await asset.text(), "hex").slice(0, 12)
    expect(path).toContain(`.${hash}.`)
  }
  const unknown = await open("/assets/style.000000000000.css", { headers: { Accept: "*/*" } })
  expect(unknown.status).toBe(404)
})

test("All stylesheets and scripts of ours together, the map's included, are under 44 KB", async () => {
  const directory = new URL("../../../src/web/pages/assets/", import.meta.url)
  const names = await Array.fromAsync(new Bun.Glob("*.{css,js}").scan(Bun.fileURLToPath(directory)))
  const sizes = names.map((name) => Bun.file(new URL(name, directory)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(44 * 1024)
})

/** The end of the frame, which names the signed-in account. */
const stateOf = (page: string): string =>
  /<div class="state">(.*?)<\/div><\/header>/s.exec(page.replaceAll("\n", ""))?.[1] ?? ""

test("The frame has a link to sign in, or the person with a button to sign out", async () => {
  const docs = await (await open("/docs")).text()
  const nobody = stateOf(docs)
  expect(nobody).toContain('<a href="/account/sign-in">Sign in</a>')
  expect(nobody).not.toContain("Sign out")
  // The script of this key is only on pages for a signed-in person.
  expect(docs).not.toContain("Press / to search")
  const person = await signedInVisitor(service, "admin@example.com")
  for (const path of ["/", "/docs", "/account", "/explore/tenements"]) {
    const state = stateOf(await person.read(path))
    expect(state).toContain('<a href="/account" title="admin@example.com">admin@example.com</a>')
    expect(state).toContain('<form method="post" action="/account/sign-out">')
    expect(state).not.toContain("Sign in")
    expect(await person.read(path)).toContain("Press / to search")
  }
  // An error may be that the session can't be read.
  const unknown = stateOf(await person.read("/nothing-here", 404))
  expect(unknown).not.toMatch(/Sign (in|out)/)
})

test("A page that can't be shown still marks the section it belongs to", async () => {
  const person = await signedInVisitor(service, "enterprise@example.com")
  for (let request = 0; request < enterpriseLimit; request++) {
    await person.read("/explore/tenements")
  }
  const marked = async (path: string, status: number) =>
    /<a href="([^"]*)" aria-current="page">/.exec(await person.read(path, status))?.[1]
  expect(await marked("/explore/tenements", 429)).toBe("/explore")
  expect(await marked("/docs/guide/nothing", 404)).toBe("/docs")
  expect(await marked("/account/tokens/999999999", 404)).toBe("/account")
  expect(await marked("/nothing-here", 404)).toBeUndefined()
})
