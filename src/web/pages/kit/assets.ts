/**
 * The stylesheet and the scripts. Each URL contains a hash of the content, so that browsers cache a file
 * without expiry and load a changed one at once.
 */
import { readFileSync } from "node:fs"
import { Elysia } from "elysia"
import leafletStyle from "leaflet/dist/leaflet.css" with { type: "text" }
import leafletScript from "leaflet/dist/leaflet.js" with { type: "text" }
import leafletLicence from "leaflet/LICENSE" with { type: "text" }
import { codedBody, encodedResponse } from "../../../api/http/content-coding.ts"
import { programRoot } from "../../../program.ts"
import { pageNotFound } from "./page-error.ts"

const ourFile = (name: string): string =>
  readFileSync(new URL(`src/web/pages/assets/${name}`, programRoot), "utf8")

const asset = (name: string, type: string, text = ourFile(name)) => {
  const hash = Bun.CryptoHasher.hash("sha256", text, "hex").slice(0, 12)
  const path = `/assets/${name.replace(".", `.${hash}.`)}`
  return { path, type, body: codedBody(text) }
}

const css = "text/css; charset=utf-8"
const javaScript = "text/javascript; charset=utf-8"

/** A file of Leaflet with its licence, which every copy must have, and without the name of its source map. */
const ofLeaflet = (text: string): string =>
  `/*!\n${leafletLicence}*/\n${text.replace(/\n\/\/# sourceMappingURL=.*/, "")}`

export const assetFiles = {
  "style.css": asset("style.css", css),
  "leaflet.css": asset("leaflet.css", css, ofLeaflet(leafletStyle)),
  "leaflet.js": asset("leaflet.js", javaScript, ofLeaflet(leafletScript)),
  "australia.json": asset("australia.json", "application/json"),
  "copy.js": asset("copy.js", javaScript),
  "explore.js": asset("explore.js", javaScript),
  "map.js": asset("map.js", javaScript),
  "search.js": asset("search.js", javaScript),
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
