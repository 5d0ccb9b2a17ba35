/**
 * The stylesheet and the scripts. Each URL contains a hash of the content, so that browsers cache a file
 * without expiry and load a changed one at once.
 */
import { readFileSync } from "node:fs"
import { Elysia } from "elysia"
import { codedBody, encodedResponse } from "../../http/content-coding.ts"
import { programRoot } from "../../program.ts"
import { pageNotFound } from "./page-error.ts"

const asset = (name: string, type: string) => {
  const text = readFileSync(new URL(`src/pages/assets/${name}`, programRoot), "utf8")
  const hash = Bun.CryptoHasher.hash("sha256", text, "hex").slice(0, 12)
  const path = `/assets/${name.replace(".", `.${hash}.`)}`
  return { path, type, body: codedBody(text) }
}

export const assetFiles = {
  "style.css": asset("style.css", "text/css; charset=utf-8"),
  "copy.js": asset("copy.js", "text/javascript; charset=utf-8"),
  "explore.js": asset("explore.js", "text/javascript; charset=utf-8"),
  "search.js": asset("search.js", "text/javascript; charset=utf-8"),
  "icon.svg": asset("icon.svg", "image/svg+xml"),
}
export type AssetName = keyof typeof assetFiles

export const assets = () =>
  new Elysia({ name: "assets" }).get("/assets/:file", ({ request, path }) => {
    const found = Object.values(assetFiles).find((each) => each.path === path)
    if (!found) throw pageNotFound()
    return encodedResponse(request, found.body, {
      headers: {
        "Content-Type": found.type,
        "Cache-Control": "public, max-age=31536000, immutable",
        Vary: "Accept-Encoding",
      },
    })
  })
