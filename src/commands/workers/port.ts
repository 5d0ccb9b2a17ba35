/**
 * The port of the workers. They listen on it with SO_REUSEPORT, which lets any process of the same user
 * that asks for it listen there too. So this makes sure that no other service does: nothing listens
 * there before the first worker, and of several services that start at once, one gets the lock.
 */
import { cannotListen } from "../../listen-error.ts"
import { codeOf } from "../../text/error-code.ts"

/**
 * Returns the port, a free one for 0. It is this process's until its end.
 * @throws ListenError where another process listens there
 */
export async function claimPort(
  hostname: string,
  setting: "PORT" | "ADMIN_PORT",
  port: number,
): Promise<number> {
  try {
    // Without reusePort this fails where anything listens, with reusePort too.
    const probe = Bun.serve({ hostname, port, reusePort: false, fetch: () => new Response() })
    try {
      const claimed = probe.port ?? port
      lock(`mds ${hostname} ${claimed}`)
      return claimed
    } finally {
      await probe.stop(true)
    }
  } catch (error) {
    throw cannotListen(hostname, port, setting, error)
  }
}

/**
 * An address that exists in the kernel alone, and in the same network as the port. It is free again when
 * this process ends, however it does. A service that serves already is found by its port before.
 */
function lock(name: string): void {
  const open = (socket: Bun.Socket) => {
    socket.end()
  }
  try {
    Bun.listen({ unix: `\0${name}`, socket: { open, data: () => {} } }).unref()
  } catch (cause) {
    if (codeOf(cause) !== "EADDRINUSE") throw cause
    throw new Error("another service with WORKERS is starting there", { cause })
  }
}
