/** Downloads one file, unless its server still has the known version. */
import { open } from "node:fs/promises"
import { foreignText } from "../loading/reading/foreign-formats.ts"
import { FetchError, statusError, withRetries } from "./fetch-error.ts"
import { megabytes } from "./limits.ts"
import { type Access, get, type Received } from "./request.ts"

/** The version of a file by its server, for conditional requests. */
export interface FileValidators {
  etag: string | null
  /** As the server writes it. */
  lastModified: string | null
}

/**
 * Writes the file to `path`, which is complete only once this returns.
 * @returns `known` itself where the server still has that version; then it writes nothing
 * @throws FetchError
 */
export const download = (
  url: URL,
  path: string,
  access: Access,
  known?: FileValidators,
): Promise<FileValidators> =>
  withRetries(access, async () => {
    const response = await get(url, access, conditionsOf(known))
    const { status, headers, close } = response
    if (status !== 200) close()
    if (status === 304 && known) return known
    if (status !== 200) throw statusError(response.url, status)
    await write(response, path, access.limits.maxBytes)
    await checkContent(url, path)
    return { etag: headers.get("etag"), lastModified: headers.get("last-modified") }
  })

const conditionsOf = (known?: FileValidators): Record<string, string> => ({
  ...(known?.etag ? { "If-None-Match": known.etag } : {}),
  ...(known?.lastModified ? { "If-Modified-Since": known.lastModified } : {}),
})

async function write({ url, body }: Received, path: string, maxBytes: number): Promise<void> {
  const file = await open(path, "w")
  let size = 0
  try {
    for await (const chunk of body) {
      size += chunk.length
      if (size > maxBytes) throw new FetchError(url, `it is larger than ${megabytes(maxBytes)}`)
      await file.writeFile(chunk)
    }
  } finally {
    await file.close()
  }
}

/** Servers often send sign-in and error pages with status 200. */
async function checkContent(url: URL, path: string): Promise<void> {
  const start = await Bun.file(path).slice(0, 16_384).bytes()
  if (start.length === 0) throw new FetchError(url, "it is empty")
  const foreign = foreignText(new TextDecoder().decode(start))
  if (foreign?.startsWith("it is a web page")) throw new FetchError(url, foreign)
}
