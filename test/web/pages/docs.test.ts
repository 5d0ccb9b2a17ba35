/** Serves the guide as pages and as text: complete, with working links, and without foreign markup. */
import { expect, test } from "bun:test"
import { linkTo } from "../../../src/web/pages/docs/guide.ts"
import { renderMarkdown } from "../../../src/web/pages/docs/markdown.ts"
import {
  background,
  guide,
  guideFile,
  operatorGuide,
  userGuide,
} from "../../../src/web/pages/docs/pages.ts"
import { serviceOfFile, testService } from "../../support/service.ts"
import { placeholder } from "../guide/samples.ts"

const service = await serviceOfFile()

const open = (path: string, init?: RequestInit) => fetch(service.url + path, init)
const textOf = async (path: string): Promise<string> => (await open(path)).text()

const pathOf = (name: string) => `/docs/guide/${name}`
const paths = ["/docs", ...guide.map(({ name }) => pathOf(name))]

const root = Bun.fileURLToPath(new URL("../../../", import.meta.url))

test("Every file of the guide is a page, under the title of its heading", async () => {
  const files = await Array.fromAsync(new Bun.Glob("src/web/guide/*.md").scan(root))
  expect(guide.map(({ name }) => guideFile(name)).sort()).toEqual(["CHANGELOG.md", ...files].sort())
  const index = await textOf("/docs")
  for (const { name, title } of guide) {
    const shown = Bun.escapeHTML(title)
    expect(index).toContain(`<dt><a href="${pathOf(name)}">${shown}</a></dt>`)
    const page = await textOf(pathOf(name))
    expect(page).toContain(`<h1>${shown}</h1>`)
    const isInMenu = background.every((page) => page.name !== name)
    const marked = `<a href="${pathOf(name)}" aria-current="page">${shown}</a>`
    expect([name, page.includes(marked)]).toEqual([name, isInMenu])
    const markdown = await open(`${pathOf(name)}.md`)
    expect(markdown.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
    expect((await markdown.text()).startsWith(`# ${title}\n`)).toBe(true)
  }
})

test("A page of the guide with several parts begins with links to them", async () => {
  const contents = /<nav class="page-contents"[^>]*><ul>(.*?)<\/ul><\/nav>/s
  const [, links = ""] = contents.exec(await textOf(pathOf("start"))) ?? []
  expect([...links.matchAll(/href="#([^"]+)"/g)].map(([, id]) => id)).toEqual([
    "filter",
    "choose-fields",
    "download-csv",
    "when-something-goes-wrong",
  ])
  expect(await textOf(pathOf("terms"))).not.toMatch(contents)
})

test("The menu of a page has the pages of its own part, and a link to the other part", async () => {
  const menuOf = async (name: string) =>
    (await textOf(pathOf(name))).split('aria-label="Documentation">')[1]?.split("</nav>")[0] ?? ""
  const ofUsers = await menuOf("start")
  const ofOperators = await menuOf("settings")
  for (const { path } of userGuide) {
    expect([path, ofUsers.includes(path), ofOperators.includes(path)]).toEqual([path, true, false])
  }
  for (const { path } of operatorGuide) {
    expect([path, ofUsers.includes(path), ofOperators.includes(path)]).toEqual([path, false, true])
  }
  expect(ofUsers).toContain('<a href="/docs#run-the-service">')
  expect(ofOperators).toContain('<a href="/docs#use-the-data">')
})

test("The header finds the guide's pages for a reader without an account: by title, heading, then text", async () => {
  const first = await textOf("/docs")
  expect(first).toContain('<form class="search" action="/docs"')
  const find = async (term: string) => {
    const page = await textOf(`/docs?q=${encodeURIComponent(term)}`)
    expect(page).toContain(`name="q" value="${Bun.escapeHTML(term)}"`)
    const [, matches = ""] = /class="plain matches">(.*?)<\/ul>/s.exec(page) ?? []
    return [...matches.matchAll(/<li><a href="([^"]+)">/g)].map(([, href]) => href)
  }
  expect((await find("Limits"))[0]).toBe(pathOf("limits"))
  expect((await find("wait 429"))[0]).toBe(`${pathOf("limits")}#wait-after-429`)
  expect(await find("shutdown_SECONDS settings")).toContain(pathOf("settings"))
  expect(await find("SHUTDOWN_SECONDS quagga")).toEqual([])
  expect(await find("doubtful wrong suggestions")).toEqual([
    `${pathOf("holders")}#how-reliable-a-suggestion-is`,
  ])
  expect(await find("imits")).toEqual([])
  expect(await find("<script>")).toEqual([])
  expect(await find("x".repeat(200))).toEqual([])
})

test("An unknown page of the guide returns 404 with a message", async () => {
  for (const path of [
    pathOf("nothing"),
    pathOf("nothing.md"),
    pathOf("..%2fconfig"),
    pathOf(".md"),
  ]) {
    const response = await open(path)
    expect([path, response.status]).toEqual([path, 404])
    expect(await response.text()).toContain("<h1>There is no page at this address</h1>")
  }
})

/** Other tests cover pages that need a session. */
const elsewhere = /^\/(?:account|explore|openapi\.json$)/

test("Every link of the documentation leads to an existing page and part", async () => {
  const pages = new Map<string, string>()
  const queue = ["/", ...paths, "/docs.md", "/llms.txt"]
  const broken: string[] = []
  const seen = new Set<string>()
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    if (pages.has(path)) continue
    const response = await open(path)
    const text = await response.text()
    pages.set(path, text)
    if (response.status !== 200) broken.push(`${path}: ${response.status}`)
    const type = response.headers.get("content-type") ?? ""
    if (!/^text\/(?:html|markdown|plain)/.test(type)) continue
    const links = type.startsWith("text/html")
      ? [...text.matchAll(/(?:href|src)="([^"]*)"/g)]
      : [...text.matchAll(/\]\(([^)]*)\)/g)]
    for (const [, link = ""] of links) {
      const target = new URL(link.replaceAll("&amp;", "&"), service.url + path)
      if (target.origin !== service.url) continue
      const { pathname, hash } = target
      if (elsewhere.test(pathname)) continue
      queue.push(pathname)
      if (hash) seen.add(`${pathname}${hash}`)
    }
  }
  const missing = [...seen].filter((link) => {
    const [path = "", id = ""] = link.split("#")
    const target = pages.get(path.replace(/\.md$/, "")) ?? ""
    return !target.includes(` id="${id}"`)
  })
  expect(broken).toEqual([])
  expect(missing).toEqual([])
  expect(pages.size).toBeGreaterThan(2 * guide.length)
})

test("HEAD has the headers of GET and no body", async () => {
  for (const path of ["/", "/docs", pathOf("whole-lists"), "/docs.md", "/llms.txt"]) {
    const [get, head] = await Promise.all([open(path), open(path, { method: "HEAD" })])
    const type = get.headers.get("content-type")
    expect([path, head.status, head.headers.get("content-type")]).toEqual([path, 200, type])
    expect(await head.text()).toBe("")
    await get.body?.cancel()
  }
})

test("Browsers revalidate pages, and cache texts for five minutes", async () => {
  const cachingOf = async (path: string) => (await open(path)).headers.get("cache-control")
  expect(await cachingOf("/")).toBe("private, no-cache")
  expect(await cachingOf("/docs")).toBe("private, no-cache")
  expect(await cachingOf(pathOf("whole-lists"))).toBe("private, no-cache")
  // Texts contain the Host of the client.
  for (const path of texts) expect(await cachingOf(path)).toBe("private, max-age=300")
})

const texts = ["/docs.md", "/llms.txt", "/docs/reference.md", pathOf("whole-lists.md")]

test("Samples contain BASE_URL if it is set", async () => {
  const settings = { BASE_URL: "https://data.example.org/mining" }
  const behindProxy = await testService({ beside: service, settings })
  const page = await (await fetch(behindProxy.url + pathOf("whole-lists"))).text()
  for (const path of texts) {
    const { headers } = await fetch(behindProxy.url + path)
    expect([path, headers.get("cache-control")]).toEqual([path, "public, max-age=300"])
  }
  await behindProxy.stop()
  expect(page).toContain("https://data.example.org/mining/api/v1/tenements?state=WA&amp;")
})

test("Samples contain the Host of their own request, also after other requests", async () => {
  for (const path of [...texts, ...paths.slice(1)]) {
    for (const host of ["a.example", "b.example", "a.example"]) {
      const text = await (await open(path, { headers: { Host: host } })).text()
      const other = host === "a.example" ? "b.example" : "a.example"
      expect([path, text.includes(placeholder), text.includes(other)]).toEqual([path, false, false])
      if (texts.includes(path))
        expect([path, text.includes(`http://${host}/`)]).toEqual([path, true])
    }
  }
})

test("The file docs.md contains every page, and llms.txt links to each", async () => {
  const [all, list] = [await open("/docs.md"), await open("/llms.txt")]
  expect(all.headers.get("content-type")).toBe("text/markdown; charset=utf-8")
  expect(list.headers.get("content-type")).toBe("text/plain; charset=utf-8")
  const [text, links] = [await all.text(), await list.text()]
  expect(links).toMatch(/^# .+\n\n> .+\n\n/)
  for (const { name, title } of guide) {
    expect(text).toContain(`\n# ${title}\n`)
    expect(links).toContain(`\n- [${title}](${service.url}${pathOf(name)}.md): `)
  }
  expect(text).toEndWith(await textOf("/docs/reference.md"))
})

test("Programs are escaped, in blocks with a copy button", async () => {
  const page = await textOf(pathOf("copies"))
  const blocks = [...page.matchAll(/<pre><code id="([^"]+)">(.*?)<\/code><\/pre>/gs)]
  expect(blocks.length).toBeGreaterThanOrEqual(4)
  for (const [, id] of blocks) expect(page).toContain(`<button type="button" data-copy="${id}">`)
  expect(new Set(blocks.map(([, id]) => id)).size).toBe(blocks.length)
  expect(page).toContain("(query: string): Promise&lt;Tenement[]&gt; {")
  expect(page).toMatch(/<script type="module" src="\/assets\/copy\.[0-9a-f]+\.js">/)
})

test("No page of the documentation has markup that the policy forbids", async () => {
  for (const path of paths) {
    const page = await textOf(path)
    expect([path, /\sstyle=|<style|<script(?![^>]* src=)|\son\w+="/.test(page)]).toEqual([
      path,
      false,
    ])
  }
})

const rendered = (markdown: string) => renderMarkdown(markdown, linkTo).text

test("HTML in Markdown is text", () => {
  const forms = [
    "<script>alert(1)</script>",
    "a <img src=x onerror=alert(1)> b",
    "<div onclick=alert(1)>\n\ntext\n\n</div>",
    "- <b>x</b>\n- <svg/onload=alert(1)>",
    "| a |\n|---|\n| <iframe src=x> |",
    "> <a href=x>y</a>",
    "**<i>**",
    "`<u>`",
    "```\n<script>\n```",
    "    <script>",
    "&lt;script&gt;",
    "\\<script>",
    "<!-- x --><script>alert(1)</script>",
    "<!-- x -->\n<script>alert(1)</script>\n<!-- y -->",
    "<![CDATA[<script>]]>",
    "<?php <script> ?>",
    "<!doctype html>",
    "![<script>](x)",
    "# <script>\n\n## <script>\n\n| a |\n|---|\n| b |",
    "![a](javascript:alert(1))",
  ]
  for (const form of forms) {
    const tags = [...rendered(form).matchAll(/<\/?([a-z!?][\w-]*)/gi)].map(([, name = ""]) => name)
    const ours = ["p", "ul", "ol", "li", "h2", "h3", "a", "span", "div", "table", "thead", "tbody"]
    const allowed = [...ours, "tr", "th", "td", "blockquote", "strong", "code", "pre", "button"]
    expect([form, tags.filter((name) => !allowed.includes(name))]).toEqual([form, []])
    expect([form, /onerror=alert(?![^<]*<\/)|\son\w+=[^&]*>/.test(rendered(form))]).toEqual([
      form,
      false,
    ])
  }
  expect(rendered("a <b>c</b>")).toBe("<p>a &lt;b&gt;c&lt;/b&gt;</p>\n")
  expect(rendered("a\n\n<!-- comment -->\n\nb")).toBe("<p>a</p>\n<p>b</p>\n")
})

test("Links to other files of the project and to unsafe schemes are plain text", () => {
  const addressOf = (href: string) => /href="([^"]*)"/.exec(rendered(`[x](${href})`))?.[1] ?? null
  expect(addressOf("copies.md")).toBe("/docs/guide/copies")
  expect(addressOf("accounts.md#plans")).toBe("/docs/guide/accounts#plans")
  expect(addressOf("src/web/guide/copies.md")).toBe("/docs/guide/copies")
  expect(addressOf("/account")).toBe("/account")
  expect(addressOf("https://example.com/?a=1&b=2")).toBe("https://example.com/?a=1&amp;b=2")
  expect(addressOf("#part")).toBe("#part")
  for (const href of [
    "../src/config.ts",
    "javascript:alert(1)",
    "//evil.example",
    "data:text/html,x",
  ]) {
    expect([href, addressOf(href)]).toEqual([href, null])
  }
})
