/** The text of the guide, read and rendered when it is first asked for. */

import { Html, html } from "../kit/html.ts"
import { pageNotFound } from "../kit/page-error.ts"
import { guidePages, guidePath } from "./guide-pages.ts"
import { type Rendered, renderMarkdown } from "./markdown.ts"

/** In the files, in place of the service's address. */
const placeholder = "https://mds.example.com"

const directory = new URL("../../guide/", import.meta.url)

interface Loaded {
  markdown: string
  rendered: Rendered
}

const loaded = new Map<string, Promise<Loaded>>()

function load(name: string): Promise<Loaded> {
  const known = loaded.get(name)
  if (known) return known
  if (!guidePages.some((page) => page.name === name)) throw pageNotFound()
  const reading = read(name).catch((error: unknown) => {
    loaded.delete(name)
    throw error
  })
  loaded.set(name, reading)
  return reading
}

async function read(name: string): Promise<Loaded> {
  const markdown = await Bun.file(new URL(`${name}.md`, directory)).text()
  return { markdown, rendered: renderMarkdown(markdown, linkTo) }
}

/** Links to other pages of the guide, to this site and to others; what else is in the project is not served. */
export function linkTo(href: string): string | null {
  const page = /^([\w-]+)\.md(#.*)?$/.exec(href)
  if (page) return guidePath(page[1] ?? "") + (page[2] ?? "")
  return /^(?:https?:\/\/|\/(?!\/)|#)/.test(href) ? href : null
}

/** A page of the guide with the service's own address in its samples. @throws PageError 404 */
export async function guidePage(name: string, publicUrl: string): Promise<Rendered> {
  const { rendered } = await load(name)
  const address = html`${publicUrl}`.text
  return {
    title: rendered.title,
    body: new Html(rendered.body.text.replaceAll(placeholder, () => address)),
  }
}

/** The same as Markdown, whose links lead to the Markdown of other pages. @throws PageError 404 */
export async function guideMarkdown(name: string, publicUrl: string): Promise<string> {
  const { markdown } = await load(name)
  return markdown
    .replaceAll(placeholder, () => publicUrl)
    .replace(/\]\(([\w-]+\.md)/g, (_, file) => `](${publicUrl}${guidePath(file)}`)
    .replace(/\]\(\//g, () => `](${publicUrl}/`)
    .replace(/^<!--.*-->\n/gm, "")
}

/** The dashboard for Grafana that the page on monitoring leads to. */
export const dashboardText = (): Promise<string> =>
  Bun.file(new URL("dashboard.json", directory)).text()
