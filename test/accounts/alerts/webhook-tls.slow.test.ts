/** Webhooks over TLS reach only the certificate's host, and a proxy only if the setting names it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test"
import { type AddressInfo, connect, createServer } from "node:net"
import { join } from "node:path"
import type { Outcome } from "../../../src/accounts/alerts/webhook.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { installedProgram } from "../../support/supervised.ts"

const openssl = installedProgram("openssl")

const directory = directoryOfFile()
const certificate = join(directory, "certificate.pem")

describe.skipIf(!openssl)("Over TLS", () => {
  const seen: string[] = []
  let target: ReturnType<typeof Bun.serve>
  const proxy = createServer((client) => {
    client
      .on("error", () => {})
      .once("data", (head) => {
        seen.push(String(head).split("\r\n")[0] ?? "")
        if (seen[0]?.includes("forbidden")) return client.end("HTTP/1.1 403 Forbidden\r\n\r\n")
        client.write("HTTP/1.1 200 OK\r\n\r\n")
        const server = connect(target.port ?? 0, "127.0.0.1").on("error", () => {})
        client.pipe(server).pipe(client)
      })
  })
  let proxyUrl: string

  beforeAll(async () => {
    const key = join(directory, "key.pem")
    const name = [
      "-subj",
      "/CN=hooks.example.com",
      "-addext",
      "subjectAltName=DNS:hooks.example.com",
    ]
    const args = [
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      key,
      "-out",
      certificate,
    ]
    const made = Bun.spawnSync([openssl ?? "", ...args, ...name])
    if (!made.success) throw new Error(String(made.stderr))
    target = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      tls: { key: Bun.file(key), cert: Bun.file(certificate) },
      fetch: ({ url, method }) => {
        seen.push(`${method} ${url}`)
        return new Response()
      },
    })
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve))
    proxyUrl = `http://user:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    await target.stop(true)
    proxy.close()
  })
  beforeEach(() => seen.splice(0))

  /** From a process with this environment, which trusts the certificate unless it says otherwise. */
  async function deliverWith(
    environment: Record<string, string>,
    ...args: string[]
  ): Promise<Outcome> {
    const child = Bun.spawn([process.execPath, `${import.meta.dir}/deliver-once.ts`, ...args], {
      env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate, ...environment },
      stdout: "pipe",
    })
    return JSON.parse(await child.stdout.text())
  }

  test("the certificate must be for the host's name", async () => {
    const url = `https://hooks.example.com:${target.port}/in`
    expect(await deliverWith({}, url)).toMatchObject({ status: 200, reason: null })
    expect(seen).toEqual([`POST ${url}`])
    const other = await deliverWith({}, url.replace("hooks.", "other."))
    expect(other).toMatchObject({ reason: "The certificate is for another name" })
    const literal = await deliverWith({}, url.replace("hooks.example.com", "127.0.0.1"))
    expect(literal).toMatchObject({ reason: "The certificate is for another name" })
  })

  test("the certificate must be one of a known authority", async () => {
    const url = `https://hooks.example.com:${target.port}/in`
    const outcome = await deliverWith({ NODE_EXTRA_CA_CERTS: "" }, url)
    expect(outcome).toMatchObject({ reason: "The certificate is self-signed" })
    expect(seen).toEqual([])
  })

  test("the proxies of the environment are not used", async () => {
    const url = `https://hooks.example.com:${target.port}/in`
    const environment = { HTTPS_PROXY: proxyUrl, https_proxy: proxyUrl, NODE_USE_ENV_PROXY: "1" }
    expect(await deliverWith(environment, url)).toMatchObject({ reason: null })
    expect(seen).toEqual([`POST ${url}`])
  })

  test("the proxy of the setting is used for every host, also those that NO_PROXY names", async () => {
    for (const environment of [{}, { NO_PROXY: "*", no_proxy: "hooks.example.com" }]) {
      const outcome = await deliverWith(environment, "https://hooks.example.com/in", proxyUrl)
      expect(outcome).toMatchObject({ status: 200, reason: null })
      const posted = "POST https://hooks.example.com/in"
      expect(seen.splice(0)).toEqual(["CONNECT hooks.example.com:443 HTTP/1.1", posted])
    }
  })

  test("a host that the proxy rejects is reported without the proxy's address", async () => {
    const outcome = await deliverWith({}, "https://forbidden.example.com/in", proxyUrl)
    const reason = "The proxy did not connect to the receiver"
    expect(outcome).toMatchObject({ status: null, reason })
  })
})
