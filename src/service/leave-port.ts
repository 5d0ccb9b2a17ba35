/**
 * Leaves a port that other processes listen on too (SO_REUSEPORT) without losing a connection.
 *
 * Linux assigns each connection to one of the listening sockets with its first packet. When a socket is
 * closed, those that it has not accepted yet are reset, even if the others could take them. With
 * `net.ipv4.tcp_migrate_req` they are moved to the others, but that is off by default. Otherwise this
 * attaches a filter to the socket that drops the packets which begin a connection (SYN), while those of
 * connections that have begun pass. By the time the socket is closed these have been accepted. The
 * clients whose first packet was dropped send it again after a second, to one of the other sockets.
 */
import { ptr } from "bun:ffi"
import { readFileSync } from "node:fs"
import { describeError, type Log } from "../log/log.ts"
import { setOnListeners } from "./listening-sockets.ts"

/** How long a connection may take from its first packet to its acceptance. */
const openingMs = 250

const solSocket = 1
const soAttachFilter = 26

/** Classic BPF on the TCP header: drop what has SYN set, pass the rest whole. */
const withoutSyn = [
  { code: 0x30, jumpFalse: 0, value: 13 }, // load the byte of the flags
  { code: 0x45, jumpFalse: 1, value: 0x02 }, // SYN?
  { code: 0x06, jumpFalse: 0, value: 0 }, // drop
  { code: 0x06, jumpFalse: 0, value: 0xffff_ffff }, // pass
]

/**
 * Resolves when the listening socket may be closed. Does nothing where the system has none of this.
 * Where it fails, as without /proc or glibc, connections that are being opened will be reset.
 */
export async function leavePort(port: number, log: Pick<Log, "warn">): Promise<void> {
  if (process.platform !== "linux" || migratesConnections()) return
  try {
    dropFirstPackets(port)
    await Bun.sleep(openingMs)
  } catch (error) {
    log.warn("connections that are being opened are reset", describeError(error))
  }
}

function migratesConnections(): boolean {
  try {
    return readFileSync("/proc/sys/net/ipv4/tcp_migrate_req", "utf8").trim() === "1"
  } catch {
    return false // before Linux 5.14
  }
}

function dropFirstPackets(port: number): void {
  const instructions = new DataView(new ArrayBuffer(8 * withoutSyn.length))
  for (const [index, { code, jumpFalse, value }] of withoutSyn.entries()) {
    instructions.setUint16(8 * index, code, true)
    instructions.setUint8(8 * index + 3, jumpFalse)
    instructions.setUint32(8 * index + 4, value, true)
  }
  // struct sock_fprog: the number of instructions, and at the next multiple of 8 where they are.
  const program = new DataView(new ArrayBuffer(16))
  program.setUint16(0, withoutSyn.length, true)
  program.setBigUint64(8, BigInt(ptr(instructions)), true)
  setOnListeners(port, { level: solSocket, name: soAttachFilter, value: program })
}
