/** Lists and calls every tool of `/mcp` with the official client, in each era of the protocol. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

const { SERVICE_URL = "", TOKEN = "" } = process.env

const calls: [name: string, given: Record<string, unknown>][] = [
  ["find_companies", { sector: "Materials" }],
  ["company", { asx_code: "XMR" }],
  ["find_tenements", { state: "WA" }],
  ["find_announcements", { company: "XMR" }],
  ["changes", { list: "tenements", since: "0" }],
  ["sources", {}],
  ["find_tenements", { state: "ZZ" }],
]

async function readWith(mode: "legacy" | "auto", token: string) {
  const transport = new StreamableHTTPClientTransport(new URL(`${SERVICE_URL}/mcp`), {
    requestInit: { headers: { Authorization: `Bearer ${token}` } },
  })
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
  await client.connect(transport)
  const { tools } = await client.listTools()
  const results = []
  for (const [name, given] of calls) {
    results.push(await client.callTool({ name, arguments: given }))
  }
  const version = client.getNegotiatedProtocolVersion()
  await client.close()
  return { version, tools: tools.map(({ name }) => name), results }
}

const refused = await readWith("auto", "mds_wrong").then(
  () => "connected",
  (error: Error) => error.message,
)

const results = {
  legacy: await readWith("legacy", TOKEN),
  modern: await readWith("auto", TOKEN),
  refused,
}
process.stdout.write(JSON.stringify(results))
