/** Kinds of Redis servers: over TLS, for a user with few rights, and those that are not used, with the reason. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { directoryOfFile } from "../../support/of-file.ts"
import { redisIsInstalled, redisServer } from "../../support/redis.ts"
import { freePort, installedProgram, startSupervised } from "../../support/supervised.ts"
import { until } from "../../support/until.ts"
import { reach } from "./reach.ts"

const openssl = installedProgram("openssl")

const directory = directoryOfFile()

/** Reaches a server from a process of its own, which trusts another authority. */
async function reachTrusting(authority: string | undefined, url: string) {
  const child = Bun.spawn([process.execPath, `${import.meta.dir}/reach.ts`, url], {
    env: { ...process.env, ...(authority && { NODE_EXTRA_CA_CERTS: authority }) },
    stdout: "pipe",
  })
  const outcome: Awaited<ReturnType<typeof reach>> = JSON.parse(await child.stdout.text())
  await child.exited
  return outcome
}

describe.skipIf(!redisIsInstalled || !openssl)("TLS", () => {
  let authority: string
  let plainUrl: string
  let port: number
  let portOfAnother: number
  const stops: (() => Promise<void>)[] = []

  beforeAll(async () => {
    authority = join(directory, "authority.crt")
    const run = (...args: string[]) => {
      const done = Bun.spawnSync([openssl ?? "openssl", ...args], { cwd: directory })
      if (!done.success) throw new Error(String(done.stderr))
    }
    const key = ["-newkey", "rsa:2048", "-nodes"]
    run("req", "-x509", ...key, "-subj", "/CN=test", "-keyout", "authority.key", "-out", authority)
    for (const host of ["localhost", "another.example"]) {
      await Bun.write(join(directory, "names"), `subjectAltName=DNS:${host}`)
      run("req", ...key, "-subj", `/CN=${host}`, "-keyout", `${host}.key`, "-out", `${host}.csr`)
      const by = ["-CA", authority, "-CAkey", "authority.key", "-CAcreateserial"]
      run("x509", "-req", "-in", `${host}.csr`, ...by, "-extfile", "names", "-out", `${host}.crt`)
    }
    const start = async (host: string) => {
      const tlsPort = freePort()
      const options = [
        ...["--tls-port", String(tlsPort), "--tls-auth-clients", "no"],
        ...["--tls-cert-file", join(directory, `${host}.crt`)],
        ...["--tls-key-file", join(directory, `${host}.key`)],
        ...["--tls-ca-cert-file", authority],
      ]
      const server = await redisServer({ password: "s3cret", options })
      stops.push(server.stop)
      return { tlsPort, url: server.url }
    }
    const right = await start("localhost")
    const wrong = await start("another.example")
    port = right.tlsPort
    plainUrl = right.url
    portOfAnother = wrong.tlsPort
  })
  afterAll(async () => {
    for (const each of stops) await each()
  })

  test("The client trusts an authority of NODE_EXTRA_CA_CERTS", async () => {
    expect(await reachTrusting(authority, `rediss://:s3cret@localhost:${port}`)).toEqual({
      reply: 3,
      failures: [],
    })
  })

  test("The client rejects a certificate of an unknown authority, and sends no password", async () => {
    const { reply, failures } = await reachTrusting(undefined, `rediss://:wr0ng@localhost:${port}`)
    expect(reply).toBeNull()
    expect(failures).toEqual([expect.stringContaining("with rediss:// the certificate")])
    expect(await refusedLogins(plainUrl)).toBe(0)
  })

  test("The client rejects a certificate for another host", async () => {
    const { reply, failures } = await reachTrusting(
      authority,
      `rediss://:s3cret@localhost:${portOfAnother}`,
    )
    expect(reply).toBeNull()
    expect(failures).toEqual([expect.stringContaining("with rediss:// the certificate")])
  })
})

async function refusedLogins(url: string): Promise<number> {
  const client = new Bun.RedisClient(url)
  try {
    const log = (await client.send("ACL", ["LOG"])) as unknown[]
    return log.length
  } finally {
    client.close()
  }
}

describe.skipIf(!redisIsInstalled)("A server", () => {
  test("A user with few rights, on only the keys of the service, is enough", async () => {
    await using server = await redisServer()
    const rights = ["~mds:*", "+@read", "+@write", "+@scripting", "+@connection"]
    await server.cli("ACL", "SETUSER", "mds", "on", ">p:w", ...rights)
    const url = `redis://mds:p%3Aw@${new URL(server.url).host}`
    expect(await reach(url)).toEqual({ reply: 3, failures: [] })
  })

  test("The client rejects a read-only replica with the reason", async () => {
    await using primary = await redisServer()
    await using replica = await redisServer()
    await replica.cli("REPLICAOF", "127.0.0.1", new URL(primary.url).port)
    const { reply, failures } = await reach(replica.url)
    expect(reply).toBeNull()
    expect(failures).toEqual([
      expect.stringContaining(": READONLY You can't write against a read only replica"),
    ])
  })

  test("The client rejects a node of a cluster with the reason", async () => {
    const config = join(directory, "nodes.conf")
    await using node = await redisServer({
      options: ["--cluster-enabled", "yes", "--cluster-config-file", config],
    })
    expect(await reach(node.url)).toEqual({
      reply: null,
      failures: [expect.stringContaining("A cluster is not supported; name a single primary")],
    })
  })

  test("The client rejects a Sentinel with the reason", async () => {
    const port = freePort()
    const config = join(directory, "sentinel.conf")
    await Bun.write(config, `port ${port}\nbind 127.0.0.1\nsentinel monitor m 127.0.0.1 1 1\n`)
    const program = Bun.which("redis-server") ?? Bun.which("valkey-server") ?? ""
    const { end } = await startSupervised("sentinel", [program, config, "--sentinel"])
    try {
      const failures = async () => (await reach(`redis://127.0.0.1:${port}`)).failures
      await until(async () => !(await failures())[0]?.includes("Cannot connect"))
      expect(await failures()).toEqual([
        `Redis at 127.0.0.1:${port}: A sentinel is not supported; name a single primary`,
      ])
    } finally {
      await end()
    }
  })
})
