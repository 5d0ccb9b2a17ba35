/**
 * The stylesheet and the scripts, each at an address with a hash of its content, so that browsers keep
 * it for good and get a new one as soon as it changes.
 */
import { Elysia } from "elysia"
import { type CodedBody, codedBody } from "../../http/content-coding.ts"
import { once } from "../../text/once.ts"
import { pageNotFound } from "./page-error.ts"
import { encodedResponse } from "./page-response.ts"

const types = {
  "style.css": "text/css; charset=utf-8",
  "copy.js": "text/javascript; charset=utf-8",
  "explore.js": "text/javascript; charset=utf-8",
  "icon.svg": "image/svg+xml",
}
export type AssetName = keyof typeof types

interface Asset {
  path: string
  type: string
  body: CodedBody
}

export type Assets = Readonly<Record<AssetName, Asset>>

/** Reads the files when the first page is shown. */
export const loadAssets = once(
  async (): Promise<Assets> => ({
    "style.css": await read("style.css"),
    "copy.js": await read("copy.js"),
    "explore.js": await read("explore.js"),
    "icon.svg": await read("icon.svg"),
  }),
)

async function read(name: AssetName): Promise<Asset> {
  const text = await Bun.file(new URL(`../assets/${name}`, import.meta.url)).text()
  const hash = Bun.CryptoHasher.hash("sha256", text, "hex").slice(0, 12)
  const path = `/assets/${name.replace(".", `.${hash}.`)}`
  return { path, type: types[name], body: codedBody(text) }
}

export const assets = () =>
  new Elysia({ name: "assets" }).get("/assets/:file", async ({ request, path }) => {
    const asset = Object.values(await loadAssets()).find((each) => each.path === path)
    if (!asset) throw pageNotFound()
    return encodedResponse(request, asset.body, {
      headers: {
        "Content-Type": asset.type,
        "Cache-Control": "public, max-age=31536000, immutable",
        Vary: "Accept-Encoding",
      },
    })
  })
