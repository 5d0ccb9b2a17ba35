/** Sends recorded requests to a service, and masks what differs between two runs of one version. */
import { parquetMetadataAsync, parquetReadObjects } from "hyparquet"
import { modern, requestOf } from "../../api/mcp/conversation.ts"
import type { Exchange } from "./exchange.ts"

/** A running service on the contract's data: see `contract-data.ts`. */
export interface Replayed {
  url: string
  /** Of an account without a limit. */
  token: string
  /** Of an account with a limit of 7 requests an hour, none of which is used. */
  limited: string
}

/**
 * Sends the requests in their order, and returns them with their responses. In a request, `{next}` and the like
 * are the links of the response before, `{etag}` is its tag, and `{token}` and `{limited}` are the tokens.
 */
export async function replay(
  service: Replayed,
  exchanges: readonly Pick<Exchange, "request" | "sent">[],
): Promise<Exchange[]> {
  const replayed: Exchange[] = []
  let before: Response | undefined
  for (const { request, sent } of exchanges) {
    const { token, limited } = service
    const values: Record<string, string> = { token, limited, ...valuesOf(before) }
    const filled = (text: string) =>
      text.replace(/\{(\w+)\}/g, (_, name) => {
        const { [name]: value } = values
        if (value === undefined) throw new Error(`${request}: the response before has no ${name}`)
        return value
      })
    const { url, ...init } = messageOf(service.url, filled(request))
    const headers = {
      "Accept-Encoding": "identity",
      Accept: "*/*",
      Authorization: `Bearer ${token}`,
      ...init.headers,
      ...Object.fromEntries(Object.entries(sent).map(([name, text]) => [name, filled(text)])),
    }
    const given = Object.entries(headers).filter(([, value]) => value !== "")
    before = await fetch(url, { ...init, headers: given })
    const body = await bodyText(before)
    replayed.push({
      request,
      sent,
      status: before.status,
      headers: shownHeaders(before),
      body: body.replaceAll(service.url, "{base_url}"),
    })
  }
  return replayed
}

function valuesOf(response: Response | undefined): Record<string, string> {
  const links = response?.headers.get("link") ?? ""
  return {
    etag: response?.headers.get("etag") ?? "",
    ...Object.fromEntries(
      [...links.matchAll(/<([^>]*)>; rel="(\w+)"/g)].map(([, link = "", rel = ""]) => [rel, link]),
    ),
  }
}

function messageOf(base: string, request: string) {
  const [, method = "", path = "", params = "{}"] = /^(\S+) (\S+) ?(.*)$/.exec(request) ?? []
  if (method !== "MCP") return { url: base + path, method, headers: {} }
  const { body, headers } = requestOf(path, JSON.parse(params), modern)
  const own = { ...headers, Accept: "application/json", "Content-Type": "application/json" }
  return { url: `${base}/mcp`, method: "POST", body, headers: own }
}

/** Headers of every HTTP message, which the runtime sets. */
const unnamed = ["connection", "content-length", "date", "keep-alive", "transfer-encoding"]

/** Other values stay as they are, so that a comparison shows a header of another form. */
const maskedHeaders: Readonly<Record<string, readonly [form: RegExp, mask: string]>> = {
  "x-request-id": [/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/, "<uuid>"],
  "x-ratelimit-reset": [/^\d{10}$/, "<unix seconds>"],
  "retry-after": [/^[1-9]\d{0,3}$/, "<seconds>"],
  etag: [/(?<=^(W\/)?")[^"]+(?="$)/, "<tag>"],
  "cache-status": [/hit$|fwd=\S+(; stored)?$/, "<hit or miss>"],
}

/** The requests without a valid token that this address has sent. */
const ofAddress: readonly [RegExp, string] = [/^\d{3}$/, "<count>"]

function shownHeaders({ headers, status }: Response): Record<string, string> {
  const named = [...headers].filter(([name]) => !unnamed.includes(name))
  return Object.fromEntries(
    named.toSorted().map(([name, value]) => {
      const isOfAddress = status === 401 && name === "x-ratelimit-remaining"
      const [form = "", mask = ""] = isOfAddress ? ofAddress : (maskedHeaders[name] ?? [])
      return [name, value.replace(form, mask)]
    }),
  )
}

async function bodyText(response: Response): Promise<string> {
  const type = response.headers.get("content-type") ?? ""
  if (type === "application/vnd.apache.parquet") return layOut(await parquetTable(response))
  const text = await response.text()
  if (text !== "" && /json$/.test(type) && !type.includes("ndjson")) {
    return layOut(withoutCopy(JSON.parse(text, masked)))
  }
  return text.replaceAll("\r", "␍").replaceAll("\uFEFF", "<U+FEFF>")
}

/** The times of the window follow the clock, and the version of the server that of the program. */
const masked = (key: string, value: unknown) => {
  if (key === "version") return "<version>"
  if (key === "reset_at" && Number.isInteger(value)) return "<unix seconds>"
  return key === "hour" && /^\d{4}-\d\d-\d\dT\d\d:00:00Z$/.test(String(value)) ? "<hour>" : value
}

/** The text of a tool's result is its structured content again. */
function withoutCopy(reply: { result?: { structuredContent?: object; content?: unknown } }) {
  const { structuredContent, content } = reply?.result ?? {}
  const [first] = Array.isArray(content) ? content : []
  return structuredContent && first?.text === JSON.stringify(structuredContent)
    ? { ...reply, result: { ...reply.result, content: "<structuredContent as text>" } }
    : reply
}

const widest = 320

/** Writes a value that fits in one line there, any other with a line for each of its parts; coordinates in one line. */
export function layOut(value: unknown, indent = ""): string {
  const text = JSON.stringify(value)
  if (text.length <= widest || text.startsWith("[[") || Object(value) !== value) return text
  const inner = `${indent}  `
  const parts = Array.isArray(value)
    ? value.map((each) => inner + layOut(each, inner))
    : Object.entries(Object(value)).map(
        ([name, each]) => `${inner}${JSON.stringify(name)}: ${layOut(each, inner)}`,
      )
  const [open, close] = Array.isArray(value) ? ["[", "]"] : ["{", "}"]
  return `${open}\n${parts.join(",\n")}\n${indent}${close}`
}

async function parquetTable(response: Response) {
  const file = await response.arrayBuffer()
  const { schema, key_value_metadata: metadata = [] } = await parquetMetadataAsync(file)
  const columns = schema
    .slice(1)
    .map(({ name, type, converted_type, logical_type, repetition_type }) => ({
      ...{ name, type, converted_type, logical_type, repetition_type },
    }))
  const rows = await parquetReadObjects({ file })
  const shown = (_: string, value: unknown) => (typeof value === "bigint" ? Number(value) : value)
  return JSON.parse(JSON.stringify({ columns, metadata, rows }, shown))
}
