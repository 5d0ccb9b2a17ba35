import { Elysia } from "elysia"
import { assetPath, loadAssets } from "./assets.ts"
import { pageNotFound } from "./page-error.ts"
import { encodedResponse } from "./page-response.ts"

/** The stylesheet and scripts. An address always has the same content, so browsers need never ask again. */
export const assets = () =>
  new Elysia({ name: "assets", prefix: assetPath }).get("/:file", async ({ request, path }) => {
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
