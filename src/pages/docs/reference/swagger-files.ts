/**
 * The files of Swagger UI, from its package, at addresses with its version. They are read when one of
 * them is first asked for.
 */
import { type CodedBody, codedBody } from "../../../http/content-coding.ts"
import { once } from "../../../text/once.ts"
import { assetPath } from "../../kit/assets.ts"

export interface SwaggerFile {
  name: "swagger-ui.css" | "swagger-ui-bundle.js"
  path: string
  type: string
  body: CodedBody
}

/** Below which path they are served. */
export const swaggerPath = `${assetPath}/swagger-ui`

const names = ["swagger-ui.css", "swagger-ui-bundle.js"] as const

export const swaggerFiles = once(async (): Promise<SwaggerFile[]> => {
  const { version } = await Bun.file(fileOf("package.json")).json()
  return Promise.all(
    names.map(async (name) => ({
      name,
      path: `${swaggerPath}/${name.replace(".", `.${version}.`)}`,
      type: name.endsWith(".css") ? "text/css; charset=utf-8" : "text/javascript; charset=utf-8",
      // The map is not served.
      body: codedBody(
        (await Bun.file(fileOf(name)).text()).replace(/\/[/*]# sourceMappingURL=.*/, ""),
      ),
    })),
  )
})

const fileOf = (name: string): URL => new URL(import.meta.resolve(`swagger-ui-dist/${name}`))

export async function swaggerAddress(name: SwaggerFile["name"]): Promise<string> {
  const found = (await swaggerFiles()).find((file) => file.name === name)
  if (!found) throw new Error(`No file ${name}`)
  return found.path
}
