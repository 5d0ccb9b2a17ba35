/** A command that fails says what failed, why and what to do, and never prints a secret. */
import { expect, test } from "bun:test"
import { describeUnexpected } from "../../src/commands/terminal.ts"
import { withoutParameters } from "../../src/data/db/database-errors.ts"
import { checkSchema } from "../../src/data/db/migrate.ts"
import { databaseOfFile } from "../support/of-file.ts"
import { command } from "../support/process.ts"
import { freePort } from "../support/supervised.ts"

const { sql, url: databaseUrl } = await databaseOfFile()

/** A server that accepts connections, and then calls `onOpen`. */
function listener(onOpen: (socket: { end(): void }) => void) {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { open: onOpen, data() {} },
  })
  return { place: `127.0.0.1:${server.port}`, stop: () => server.stop(true) }
}

const addressed = (change: (url: URL) => void): string => {
  const url = new URL(databaseUrl)
  change(url)
  return url.href
}

async function failing(url: string) {
  const { exitCode, stdout, stderr } = await command(["serve"], { DATABASE_URL: url, PORT: "0" })
  expect(stderr).not.toMatch(/s3cr.?t|\bat \//i)
  return { exitCode, stdout, stderr: withoutCode(stderr) }
}

/** Without the driver's own words. */
const withoutCode = (stderr: string) => stderr.replace(/ \(\w+ [A-Z_]+[^)]*\)/, "")

const reason = (stderr: string) => ({ exitCode: 1, stdout: "", stderr: `${stderr}\n` })

test("The message names a wrong password", async () => {
  const url = addressed((url) => {
    url.password = "s3cr&t"
  })
  expect(await failing(url)).toEqual(
    reason(
      `Cannot connect to the database at ${new URL(url).host}: the server rejected the login (password authentication failed for user "mds"); ` +
        "check the user, the password and the database in DATABASE_URL",
    ),
  )
})

test("The message names a missing database or a rejected connection", async () => {
  const refusing = `127.0.0.1:${freePort()}`
  const missing = addressed((url) => {
    url.pathname = "/nowhere"
  })
  for (const [url, expected] of [
    [
      missing,
      `Cannot connect to the database at ${new URL(missing).host}: the server rejected the login (database "nowhere" does not exist); ` +
        "check the user, the password and the database in DATABASE_URL",
    ],
    [
      `postgres://user:s3cret@${refusing}/db`,
      `Cannot connect to the database at ${refusing}: the connection was refused; ` +
        "check that PostgreSQL runs there, or correct DATABASE_URL",
    ],
  ] as const) {
    expect(withoutCode(String(await checkSchema(url).catch(String)))).toBe(
      `DatabaseError: ${expected}`,
    )
  }
})

test("The message names a server that is not PostgreSQL", async () => {
  const { place, stop } = listener((socket) => socket.end())
  expect(await failing(`postgres://user:s3cret@${place}/db`)).toEqual(
    reason(
      `Cannot connect to the database at ${place}: it closed the connection before the login; ` +
        "check that PostgreSQL listens there, and whether it requires TLS (sslmode)",
    ),
  )
  stop()
})

// These wait for time limits of the program, each for itself: so they do it side by side.
test.concurrent("The message names a host that does not respond", async () => {
  const { place, stop } = listener(() => {})
  expect(await failing(`postgres://user:s3cret@${place}/db`)).toEqual(
    reason(
      `Cannot connect to the database at ${place}: the host cannot be reached; ` +
        "check DATABASE_URL, the network and its firewalls",
    ),
  )
  stop()
})

test.concurrent("Connecting to an unreachable database fails within ten seconds, whatever its hosts do", async () => {
  const silent = listener(() => {})
  const closing = listener((socket) => socket.end())
  const refusing = () => `127.0.0.1:${freePort()}`
  const places = [
    refusing(),
    silent.place,
    closing.place,
    `${refusing()},${refusing()}`,
    `${silent.place},${refusing()}`,
    `${closing.place},${silent.place}`,
  ]
  await Promise.all(
    places.map(async (place) => {
      const startedMs = performance.now()
      const failure = await checkSchema(`postgres://user:s3cret@${place}/db`).catch(String)
      expect(failure).toStartWith(`DatabaseError: Cannot connect to the database at ${place}: `)
      expect(performance.now() - startedMs).toBeLessThan(10_000)
    }),
  )
  silent.stop()
  closing.stop()
})

test("A malformed address is rejected without its password", async () => {
  const result = await command(["account", "list"], {
    DATABASE_URL: "postgres://user:s3cret#1@127.0.0.1/db",
  })
  expect(result).toMatchObject({ exitCode: 1, stdout: "" })
  expect(result.stderr).toStartWith("Cannot use the settings:\nDATABASE_URL ")
  expect(result.stderr).not.toContain("s3cret")
})

test("An unexpected failure prints its message, and its stack only with --debug", async () => {
  await sql`alter table accounts rename column email to hidden`
  const settings = { DATABASE_URL: databaseUrl }
  try {
    const args = ["account", "create", "someone@example.com"]
    const short = await command(args, settings)
    expect(short.stderr).toBe(
      'Failed: column "email" of relation "accounts" does not exist (add --debug for the stack trace)\n',
    )
    const long = await command([...args, "--debug"], settings)
    expect([short.exitCode, long.exitCode]).toEqual([1, 1])
    expect(long.stderr).toMatch(/^PostgresError: column .*\n\s+at /)
    expect(long.stderr).not.toContain("someone@example.com")
  } finally {
    await sql`alter table accounts rename column hidden to email`
  }
})

test("A thrown value other than an error is printed unchanged", () => {
  expect(withoutParameters("x")).toBe("x")
  expect(describeUnexpected("x", true)).toBe("Failed: x")
})

test("The message names an unusable address or port and the settings to check", async () => {
  const taken = listener(() => {})
  for (const [HOST, PORT] of [
    ["300.1.1.1", "0"],
    ["127.0.0.1", taken.place.split(":")[1] ?? ""],
  ] as const) {
    const { exitCode, stderr } = await command(["serve"], {
      DATABASE_URL: databaseUrl,
      HOST,
      PORT,
    })
    expect([exitCode, stderr]).toEqual([
      1,
      expect.stringContaining(`Cannot listen on ${HOST}:${PORT}`),
    ])
    expect(stderr).toMatch(/[^.?]\. Check HOST and PORT\n$/)
  }
  taken.stop()
})
