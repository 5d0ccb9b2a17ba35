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
import { dlopen, ptr } from "bun:ffi"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

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

/** Resolves when the listening socket may be closed. Does nothing where the system has none of this. */
export async function leavePort(port: number): Promise<void> {
  if (process.platform !== "linux" || migratesConnections()) return
  try {
    for (const descriptor of listeningOn(port)) dropFirstPackets(descriptor)
    await Bun.sleep(openingMs)
  } catch {
    // Without /proc or glibc: what is being opened at this moment is reset, as by any other program.
  }
}

function migratesConnections(): boolean {
  try {
    return readFileSync("/proc/sys/net/ipv4/tcp_migrate_req", "utf8").trim() === "1"
  } catch {
    return false // before Linux 5.14
  }
}

/** This process's descriptors of sockets that listen on the port. */
function listeningOn(port: number): number[] {
  const links = [...listeningInodes("tcp", port), ...listeningInodes("tcp6", port)].map(
    (inode) => `socket:[${inode}]`,
  )
  return readdirSync("/proc/self/fd")
    .map(Number)
    .filter((descriptor) => links.includes(linkOf(descriptor)))
}

/** Of all processes in this network. */
function listeningInodes(table: "tcp" | "tcp6", port: number): string[] {
  const localPort = `:${port.toString(16).toUpperCase().padStart(4, "0")}`
  return readFileSync(`/proc/self/net/${table}`, "utf8")
    .split("\n")
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(localPort) && state === "0A")
    .map((fields) => fields[9] ?? "")
}

function linkOf(descriptor: number): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return "" // the one that listed the directory
  }
}

function dropFirstPackets(descriptor: number): void {
  const { symbols, close } = dlopen("libc.so.6", {
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
  })
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
  symbols.setsockopt(descriptor, solSocket, soAttachFilter, ptr(program), program.byteLength)
  close()
}
