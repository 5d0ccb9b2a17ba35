/**
 * A request and its response, as text that a person can read, review and write. A file has the headers that all
 * its responses share, then each exchange:
 *
 *     === GET /api/v1/companies?page=2
 *     > Accept: text/csv
 *     200
 *     Content-Type: text/csv
 *
 *     asx_code,company_name
 */
import { readdirSync } from "node:fs"

export interface Exchange {
  /** `GET /api/v1/companies?page=2`, or `MCP tools/call {…}`. */
  request: string
  /** The headers of the request, by name. */
  sent: Readonly<Record<string, string>>
  /** 0 where no response is recorded yet. */
  status: number
  headers: Readonly<Record<string, string>>
  body: string
}

export const recordedDirectory = new URL("../v1/", import.meta.url)

/** Reads the exchanges of `test/contract/v1`, by the names of their files, in the order in which to send them. */
export async function readRecorded(): Promise<Map<string, Exchange[]>> {
  const names = readdirSync(recordedDirectory).filter((name) => name.endsWith(".txt"))
  const read = names.sort().map(async (name) => {
    const text = await Bun.file(new URL(name, recordedDirectory)).text()
    return [name, readExchanges(text)] as const
  })
  return new Map(await Promise.all(read))
}

const headersIn = (lines: readonly string[]): Record<string, string> =>
  Object.fromEntries(lines.map((line) => line.split(/: ?(.*)/, 2) as [string, string]))

const linesOf = (headers: Readonly<Record<string, string>>, before = ""): string[] =>
  Object.entries(headers).map(([name, value]) => `${before}${name}: ${value}`.trimEnd())

function readExchanges(text: string): Exchange[] {
  const [head = "", ...blocks] = text.replace(/\n$/, "").split(/(?:^|\n\n)=== /)
  const shared = headersIn(head.split("\n").slice(2))
  return blocks.map((block) => {
    const end = block.indexOf("\n\n")
    const [request = "", ...lines] = block.slice(0, end < 0 ? undefined : end).split("\n")
    const sent = lines.filter((line) => line.startsWith("> ")).map((line) => line.slice(2))
    const [status = "0", ...own] = lines.slice(sent.length)
    return {
      request,
      sent: headersIn(sent),
      status: Number(status),
      headers: { ...shared, ...headersIn(own) },
      body: end < 0 ? "" : block.slice(end + 2),
    }
  })
}

export function writeExchanges(exchanges: readonly Exchange[]): string {
  const [first] = exchanges
  const shared = Object.entries(first?.headers ?? {}).filter(([name, value]) =>
    exchanges.every(({ headers }) => headers[name] === value),
  )
  const names = shared.map(([name]) => name)
  const blocks = exchanges.map(({ request, sent, status, headers, body }) => {
    const own = Object.entries(headers).filter(([name]) => !names.includes(name))
    const lines = [request, ...linesOf(sent, "> "), status, ...linesOf(Object.fromEntries(own))]
    return `=== ${lines.join("\n")}${body && `\n\n${body}`}`
  })
  const head = ["Every response in this file has:", "", ...linesOf(Object.fromEntries(shared))]
  return `${[head.join("\n"), ...blocks].join("\n\n")}\n`
}
