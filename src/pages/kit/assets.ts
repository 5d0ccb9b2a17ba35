/**
 * The stylesheet and the scripts, each at an address with a hash of its content, so that browsers keep
 * it for good and get a new one as soon as it changes.
 */
import { type CodedBody, codedBody } from "../../http/content-coding.ts"

const directory = new URL("../assets/", import.meta.url)
const names = ["style.css", "copy.js", "explore.js", "icon.svg"] as const
export type AssetName = (typeof names)[number]

export interface Asset {
  path: string
  type: string
  body: CodedBody
}

export type Assets = Readonly<Record<AssetName, Asset>>

const types: Readonly<Record<string, string>> = {
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
}

/** Below which path they are served. */
export const assetPath = "/assets"

let loaded: Promise<Assets> | undefined

/** Read when the first page is shown. */
export function loadAssets(): Promise<Assets> {
  loaded ??= readAll().catch((error: unknown) => {
    loaded = undefined
    throw error
  })
  return loaded
}

async function readAll(): Promise<Assets> {
  const assets = await Promise.all(names.map(async (name) => [name, await read(name)] as const))
  return Object.fromEntries(assets) as Assets
}

async function read(name: AssetName): Promise<Asset> {
  const text = await Bun.file(new URL(name, directory)).text()
  const hash = Bun.CryptoHasher.hash("sha256", text, "hex").slice(0, 12)
  const [stem, extension] = name.split(".")
  const path = `${assetPath}/${stem}.${hash}.${extension}`
  return { path, type: types[extension ?? ""] ?? "", body: codedBody(text) }
}
