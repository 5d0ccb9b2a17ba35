/** The version is in package.json. The program shows it, and the files that are no code repeat it. */
import { expect, test } from "bun:test"
import { version } from "../package.json"
import { post, readReply, requestOf } from "./api/mcp/conversation.ts"
import { serviceOfFile } from "./support/service.ts"

const service = await serviceOfFile()
const textOf = (path: string) => Bun.file(new URL(`../${path}`, import.meta.url)).text()

test("The command line, the API's description, readiness and the tools show the version", async () => {
  const main = Bun.fileURLToPath(new URL("../src/main.ts", import.meta.url))
  const { stdout } = Bun.spawnSync([process.execPath, main, "--version"])
  expect(stdout.toString()).toBe(`${version}\n`)
  expect(await (await fetch(`${service.url}/openapi.json`)).json()).toMatchObject({
    info: { version },
  })
  expect(await (await fetch(`${service.url}/readyz`)).json()).toMatchObject({ version })
  const clientInfo = { name: "test", version: "1" }
  const protocolVersion = "2025-11-25"
  const { body } = requestOf(
    "initialize",
    { protocolVersion, capabilities: {}, clientInfo },
    protocolVersion,
  )
  expect(await readReply(await post(service, body))).toMatchObject({
    result: { serverInfo: { version } },
  })
})

test("The changelog begins with the version, and the front of the documentation links to it", async () => {
  expect((await textOf("CHANGELOG.md")).match(/^## .*/m)?.[0]).toBe(`## ${version}`)
  const front = await (await fetch(`${service.url}/docs`)).text()
  expect(front).toContain(`Version ${version}: <a href="/docs/guide/changelog">`)
})

test("The label of the images is the version", async () => {
  expect(await textOf("Dockerfile")).toContain(` org.opencontainers.image.version="${version}"`)
})

test("Every image of this project in the README and the guide is tagged with the version", async () => {
  const pages = [
    "README.md",
    "Dockerfile",
    "src/web/guide/first-hour.md",
    "src/web/guide/deploy.md",
    "src/web/guide/deploy-servers.md",
  ]
  for (const page of [...pages, "src/web/guide/deploy-kubernetes.md"]) {
    const text = await textOf(page)
    const tags = [...text.matchAll(/\bmds:([\d.]+)(?:-slim)?(?![\w-])/g)].map(([, tag]) => tag)
    expect([page, new Set(tags)]).toEqual([page, new Set([version])])
    const untagged =
      /docker build.* -t mds(?!:\d)|docker run (?:.*\\\n)*.*(?<!--name) mds(?= |\n)|mds:slim/g
    expect([page, text.match(untagged)]).toEqual([page, null])
  }
})
