/** What a form has sent. */
import { PageError } from "./page-error.ts"

/** By the name of the field, each of which is sent once. A field that was not sent is empty. */
export interface Form {
  get(name: string): string
  has(name: string): boolean
}

/** How long a client may take to send one. */
const deadlineMs = 10_000
/** More than any form of ours has, in bytes. */
const maxBytes = 16 * 1024

/**
 * Reads a body of `application/x-www-form-urlencoded`, of at most 16 KB.
 * @param withinMs how long the client may take to send it
 * @throws PageError 413, 415, 408, 400
 */
export async function readForm(request: Request, withinMs = deadlineMs): Promise<Form> {
  const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase()
  if (type !== "application/x-www-form-urlencoded") {
    throw new PageError(415, "Not a form", "Only the forms of this site can be sent here.")
  }
  const fields = new URLSearchParams(await readText(request, withinMs))
  const names = [...fields.keys()]
  const repeated = names.find((name, index) => names.indexOf(name) !== index)
  if (repeated !== undefined) throw sentTwice(repeated)
  return {
    get: (name) => fields.get(name) ?? "",
    has: (name) => fields.has(name),
  }
}

const sentTwice = (name: string) =>
  new PageError(
    400,
    "Not a form of this site",
    `The field “${name.slice(0, 50)}” was sent twice, so nothing was changed.`,
  )

async function readText({ body }: Request, withinMs: number): Promise<string> {
  if (!body) return ""
  const reader = body.getReader()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(tooSlow()), withinMs)
  try {
    return await Promise.race([readAll(reader), late.promise])
  } catch (error) {
    // Bun discards the rest of the body; its failure to do so changes nothing for the client.
    reader.cancel().catch(() => {})
    if (!(error instanceof TypeError)) throw error
    throw new PageError(400, "Not readable", "What was sent is not valid UTF-8.")
  } finally {
    clearTimeout(timer)
  }
}

async function readAll(
  reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read">,
): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let text = ""
  let bytes = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    bytes += part.value.byteLength
    if (bytes > maxBytes) throw tooLong()
    text += decoder.decode(part.value, { stream: true })
  }
  return text + decoder.decode()
}

const tooLong = () =>
  new PageError(413, "Too long", "What was sent is longer than any form of this site.")

const tooSlow = () =>
  new PageError(
    408,
    "Sent too slowly",
    "The form did not arrive in time, so nothing was changed. Go back and send it again.",
    // The rest of the body is not read, so the connection can't be used again.
    { Connection: "close" },
  )
