/**
 * Checks whether the login fails. Bun's client reports "Connection closed" for a wrong password and for
 * a certificate that is not trusted as for a server that is down, so this sends AUTH on a connection of
 * its own, in RESP.
 */

import { codeOf } from "../text/error-code.ts"

/** The server's certificate is not accepted. Nothing was sent to it. */
class Untrusted extends Error {}

/**
 * Why the login with the user and password in `url` fails; undefined where it does not, or the server
 * does not answer within the limit. Never rejects.
 */
export async function loginRefusalOf(url: string, limitMs: number): Promise<string | undefined> {
  const reply = await replyTo(new URL(url), limitMs).catch((error: unknown) => error)
  if (reply instanceof Untrusted) {
    return `its certificate is not accepted (${reply.message}): it must be for the host in REDIS_URL, and of an authority that is known or in the file that NODE_EXTRA_CA_CERTS names`
  }
  if (typeof reply !== "string") return undefined
  const [, refusal] = /^-((?:WRONGPASS|NOAUTH|NOPERM|ERR)\b.*)\r\n/.exec(reply) ?? []
  return refusal === undefined
    ? undefined
    : `the login was refused (${refusal}); check the user and password in REDIS_URL`
}

async function replyTo(
  { protocol, hostname, port, username, password }: URL,
  limitMs: number,
): Promise<string> {
  const credentials = [username, password].filter((text) => text !== "").map(decodeURIComponent)
  const command = password === "" ? ["PING"] : ["AUTH", ...credentials]
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const timer = setTimeout(() => reject(new Error("No reply")), limitMs)
  const isSecure = /^(redis|valkey)s:$/.test(protocol)
  let reply = ""
  const connecting = Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 6379),
    tls: isSecure,
    socket: {
      open: (socket) => {
        if (!isSecure) socket.write(encode(command))
      },
      handshake: (socket, _, fault) => {
        if (fault) reject(new Untrusted(codeOf(fault) || fault.message))
        else socket.write(encode(command))
      },
      data: (_, bytes) => {
        reply += bytes.toString()
        if (reply.includes("\r\n")) resolve(reply)
      },
      close: () => reject(new Error("Closed")),
      error: (_, error) => reject(error),
      connectError: (_, error) => reject(error),
    },
  })
  connecting.catch(reject)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    connecting.then(
      (socket) => socket.terminate(),
      () => {},
    )
  }
}

/** A RESP array of bulk strings, whose lengths are in bytes. */
const encode = (words: readonly string[]): string =>
  `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`
