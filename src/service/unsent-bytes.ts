/**
 * Bounds what the system buffers for a client that does not read. By default Linux takes up to 4 MB of
 * a response (`net.ipv4.tcp_wmem`), which counts for the memory of a container, and reading it from the
 * database is in vain where the client never takes it: for a hundred exports 400 MB. Bytes on their way
 * to the client are not bounded, so a distant client is served as fast as before.
 */
import { describeError, type Log } from "../log/log.ts"
import { setOnListeners } from "./listening-sockets.ts"

const ipprotoTcp = 6
const tcpNotsentLowat = 25

/** Of a connection; beyond it, the system takes no more. */
const mostUnsent = 128 * 1024

/**
 * For all connections that are accepted on the port from now on. Where it fails, as without /proc or
 * glibc, the system's own bound holds.
 */
export function boundUnsentBytes(port: number, log: Pick<Log, "warn">): void {
  if (process.platform !== "linux") return
  try {
    setOnListeners(port, {
      level: ipprotoTcp,
      name: tcpNotsentLowat,
      value: new Uint32Array([mostUnsent]),
    })
  } catch (error) {
    log.warn("what clients do not read is not bounded", describeError(error))
  }
}
