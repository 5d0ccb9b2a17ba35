import { Elysia } from "elysia"
import { ApiError } from "../../../http/api-error.ts"
import { encodedResponse } from "../../kit/page-response.ts"
import { swaggerFiles, swaggerPath } from "./swagger-files.ts"

/** The files of Swagger UI. An address has the version, so browsers need never ask again. */
export const swaggerAssets = () =>
  new Elysia({ name: "swagger-assets", prefix: swaggerPath }).get(
    "/:file",
    async ({ request, path }) => {
      const file = (await swaggerFiles()).find((each) => each.path === path)
      if (!file) throw new ApiError("NOT_FOUND")
      return encodedResponse(request, file.body, {
        headers: {
          "Content-Type": file.type,
          "Cache-Control": "public, max-age=31536000, immutable",
          Vary: "Accept-Encoding",
        },
      })
    },
  )
