/** Lists and calls every tool of `/mcp` with the official client, in each era of the protocol. */
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client"

const { SERVICE_URL = "", TOKEN = "", LIMITED_TOKEN = "" } = process.env

const calls: [name: string, given: Record<string, unknown>][] = [
  ["find_companies", { sector: "Materials" }],
  ["company", { asx_code: "XMR" }],
  ["find_tenements", { state: "WA" }],
  ["find_announcements", { company: "XMR" }],
  ["count_tenements", { by: "state" }],
  ["changes", { list: "tenements", since: "0" }],
  ["sources", {}],
  ["find_tenements", { state: "ZZ" }],
]

async function connect(mode: "legacy" | "auto", token: string | null): Promise<Client> {
  const transport = new StreamableHTTPClientTransport(new URL(`${SERVICE_URL}/mcp`), {
    requestInit: { headers: token === null ? {} : { Authorization: `Bearer ${token}` } },
  })
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return client
}

async function readWith(mode: "legacy" | "auto") {
  const client = await connect(mode, TOKEN)
  const { tools } = await client.listTools()
  const results = []
  for (const [name, given] of calls) {
    results.push(await client.callTool({ name, arguments: given }))
  }
  const version = client.getNegotiatedProtocolVersion()
  const search = "x".repeat(100_000)
  const huge = await failure(client.callTool({ name: "find_companies", arguments: { search } }))
  await client.close()
  return { version, tools: tools.map(({ name }) => name), results, huge }
}

const failure = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "none",
    (error: Error) => error.message,
  )

const limited = await connect("auto", LIMITED_TOKEN)

const results = {
  legacy: await readWith("legacy"),
  modern: await readWith("auto"),
  wrongToken: await failure(connect("legacy", "mds_wrong")),
  missingToken: await failure(connect("auto", null)),
  pastWindow: await failure(limited.callTool({ name: "sources", arguments: {} })),
}
process.stdout.write(JSON.stringify(results))
