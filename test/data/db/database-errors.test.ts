/** Why a command failed, in the case of a server that takes no connection and of one that ends it. */
import { expect, test } from "bun:test"
import { singleConnection } from "../../../src/data/db/connection.ts"
import { failureReason } from "../../../src/data/db/database-errors.ts"
import { freePort } from "../../support/supervised.ts"

async function reasonOn(port: number): Promise<string | undefined> {
  const sql = singleConnection(`postgres://mds@127.0.0.1:${port}/mds`)
  try {
    return await sql`select 1`.then(() => undefined, failureReason)
  } finally {
    await sql.end({ timeout: 0 })
  }
}

/** The message with which PostgreSQL rejects a connection. */
function refusal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write("E")
  head.writeUInt32BE(fields.length + 4, 1)
  return Buffer.concat([head, fields])
}

test.each(["57P03", "57P01"])("A server that responds with %s", async (code) => {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data: (socket) => void socket.end(refusal(code, "the server's words")) },
  })
  try {
    expect(await reasonOn(server.port)).toBe(
      "there is no connection to the database (the server's words); check that PostgreSQL runs, and its log, then try again",
    )
  } finally {
    server.stop(true)
  }
})

test("A port without a listener", async () => {
  expect(await reasonOn(freePort())).toMatch(
    /^there is no connection to the database \(.*ECONNREFUSED.*\); check that PostgreSQL runs, and its log, then try again$/,
  )
})
