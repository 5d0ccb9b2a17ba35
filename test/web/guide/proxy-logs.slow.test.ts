/** Caddy and nginx, configured as in the guide, pass requests on and log no token, not even with an error. */
import { describe, expect, test } from "bun:test"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { sendRaw } from "../../contract/raw-http.ts"
import { caddyIsInstalled, caddyServer } from "../../support/caddy.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { serviceOfFile } from "../../support/service.ts"
import { freePort, installedProgram, startSupervised } from "../../support/supervised.ts"
import { until } from "../../support/until.ts"
import { samplesOf } from "./samples.ts"

const nginx = installedProgram("nginx", "/usr/sbin/nginx")

const service = await serviceOfFile()
const servicePort = Number(new URL(service.url).port)
const link = "mds_link_0123456789"
const sampleIn = async (page: string, language: string) =>
  (await samplesOf([page])).find((sample) => sample.language === language)?.code ?? ""

/** Reads a list, through a proxy, with every kind of secret. */
const read = (url: string) =>
  fetch(`${url}/api/v1/companies?per_page=1&api_key=${service.tokens.admin}`, {
    headers: {
      Referer: `${url}/account/link?link=${link}`,
      Cookie: `__Host-session=${"s".repeat(43)}`,
    },
  })

function expectNoSecret(log: string): void {
  expect(log).toContain("/api/v1/companies")
  for (const secret of ["mds_", "api_key", "sssss"]) expect(log).not.toContain(secret)
}

describe.skipIf(!caddyIsInstalled)("Caddy", () => {
  const start = async (port: number, upstream: number) =>
    caddyServer(
      (await sampleIn("deploy-servers", "caddy"))
        // A site may also log each access.
        .replace("mds.example.com {", `http://127.0.0.1:${port} {\n\tlog`)
        .replace("mds-1:3000 mds-2:3000", `127.0.0.1:${upstream}`)
        .replace("lb_try_duration 5s", "lb_try_duration 0s"),
      port,
    )

  test("logs neither queries nor where a request comes from", async () => {
    const caddy = await start(freePort(), servicePort)
    await until(async () => (await read(caddy.url)).status === 200)
    // Its line follows the response.
    const isRead = (line: string) =>
      line.includes("/api/v1/companies") && line.includes('"status":200')
    await until(() => caddy.log().split("\n").some(isRead))
    expectNoSecret(caddy.log())
    await caddy.stop()
  })

  test("logs no query with an error", async () => {
    const caddy = await start(freePort(), freePort())
    expect((await read(caddy.url)).status).toBe(503)
    await until(() => caddy.log().includes("http.log.error"))
    expectNoSecret(caddy.log())
    await caddy.stop()
  })
})

describe.skipIf(!nginx)("nginx", () => {
  async function start(port: number, upstream: number) {
    const directory = join(directoryOfFile(), String(port))
    mkdirSync(directory)
    const sample = (await sampleIn("deploy", "nginx"))
      .replaceAll("/var/log/nginx/", `${directory}/`)
      .replace("listen 80;", `listen 127.0.0.1:${port};`)
      .replace("127.0.0.1:3000", `127.0.0.1:${upstream}`)
    const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map((name) => `${name}_temp_path ${directory}/${name};`)
      .join("\n")
    const config = join(directory, "nginx.conf")
    writeFileSync(
      config,
      `daemon off;\nmaster_process off;\npid ${directory}/pid;\nevents {}\nhttp {\n${temporary}\n${sample}}\n`,
    )
    // Before it reads its configuration, it logs to this file.
    const early = ["-e", join(directory, "error.log")]
    const server = await startSupervised("nginx", [nginx ?? "", ...early, "-c", config])
    const url = `http://127.0.0.1:${port}`
    await until(() =>
      fetch(`${url}/livez`).then(
        () => true,
        () => false,
      ),
    )
    const log = () =>
      ["mds.log", "error.log"].map((name) => readFileSync(join(directory, name), "utf8")).join("")
    return { url, port, log, stop: () => server.end() }
  }

  test("logs neither queries nor where a request comes from", async () => {
    const proxy = await start(freePort(), servicePort)
    expect((await read(proxy.url)).status).toBe(200)
    await until(() => proxy.log().includes(" 200 "))
    expectNoSecret(proxy.log())
    await proxy.stop()
  })

  test("logs no query with an error", async () => {
    const proxy = await start(freePort(), freePort())
    expect((await read(proxy.url)).status).toBe(502)
    await until(() => proxy.log().includes(" 502 "))
    expectNoSecret(proxy.log())
    await proxy.stop()
  })

  test("hides the paths for operators in every spelling", async () => {
    const proxy = await start(freePort(), servicePort)
    for (const path of [
      "/metrics",
      "/METRICS",
      "//metrics",
      "/readyz",
      "/livez",
      "/api/v1/../../metrics",
      "/api/v1/..\\..\\readyz",
      "/api/v1/%2e%2e/%2e%2e/metrics",
      "/api/v1\\..\\../metrics",
    ]) {
      const { status } = await sendRaw(
        proxy.port,
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`,
      )
      expect([path, status]).toEqual([path, 404])
    }
    await proxy.stop()
  })
})
