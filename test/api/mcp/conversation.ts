/** Requests of the Model Context Protocol, as a client sends them. */
import type { TestService } from "../../support/service.ts"

export interface Sent {
  /** Null sends none; without it the admin's is sent. */
  token?: string | null
  headers?: Record<string, string>
  query?: string
  method?: string
}

export interface Reply {
  result?: {
    isError?: boolean
    content: { type: string; text: string }[]
    structuredContent?: Result
    tools?: { name: string; inputSchema: { properties: Record<string, object> } }[]
    protocolVersion?: string
  }
  error?: { code: number; message: string }
}

/** What a tool returned. */
export interface Result extends Part {
  release: { number: number; published_at: string | null }
  notes: string[]
  since: { number: number }
  added_or_changed: Part
  removed: Part
  subsidiaries: Part
  newest_announcements: Part
  tenements: { total: number; by_state: Part; by_status: Part; past_expiry: Part }
  company: Record<string, unknown>
}

export interface Part {
  request: string
  total: number
  page: number
  total_pages: number
  records: Record<string, unknown>[]
}

export const legacy = "2025-06-18"
export const modern = "2026-07-28"

/** Posts a body as it is. */
export const post = (
  { url, tokens }: Pick<TestService, "url" | "tokens">,
  body: string,
  { token = tokens.admin, headers, query = "", method = "POST" }: Sent = {},
): Promise<Response> =>
  fetch(`${url}/mcp${query}`, {
    method,
    headers: {
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
      ...(token !== null && { Authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(method === "GET" || method === "HEAD" ? {} : { body }),
  })

/** The body of a request in a version of the protocol, and the headers that go with it. */
export function requestOf(method: string, params: object, version: string) {
  const isModern = version >= modern
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": version,
    "io.modelcontextprotocol/clientInfo": { name: "test", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  }
  const sent = isModern ? { ...params, _meta } : params
  const name = "name" in params ? String(params.name) : null
  return {
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: sent }),
    headers: {
      "MCP-Protocol-Version": version,
      ...(isModern && { "Mcp-Method": method, ...(name !== null && { "Mcp-Name": name }) }),
    },
  }
}

/** The message in a response, which is JSON or the one event of a stream. */
export async function readReply(response: Response): Promise<Reply> {
  const text = await response.text()
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream")
  return JSON.parse(isStream ? (/^data: (.*)$/m.exec(text)?.[1] ?? "") : text)
}

/** Sends one request and returns its reply. */
export async function ask(
  service: Pick<TestService, "url" | "tokens">,
  method: string,
  params: object,
  version = modern,
): Promise<Reply> {
  const { body, headers } = requestOf(method, params, version)
  return readReply(await post(service, body, { headers }))
}

/** Calls a tool. */
export const callTool = (
  service: Pick<TestService, "url" | "tokens">,
  name: string,
  given: object = {},
  version = modern,
): Promise<Reply> => ask(service, "tools/call", { name, arguments: given }, version)

/** Calls a tool that must succeed. */
export async function resultOf(
  service: Pick<TestService, "url" | "tokens">,
  name: string,
  given: object = {},
): Promise<Result> {
  const { result, error } = await callTool(service, name, given)
  if (!result?.structuredContent) throw new Error(JSON.stringify(result ?? error))
  return result.structuredContent
}
