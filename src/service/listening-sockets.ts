/** Sets options of the sockets that a process listens with, which Bun has no interface for. Linux with glibc only. */
import { dlopen, ptr } from "bun:ffi"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"

/** As setsockopt(2) takes it. */
export interface SocketOption {
  level: number
  name: number
  value: NodeJS.TypedArray | DataView
}

/**
 * Sets the option on this process's sockets that listen on the port.
 * @throws Error where the system has no /proc or no glibc, or refuses the option
 */
export function setOnListeners(port: number, { level, name, value }: SocketOption): void {
  const { symbols, close } = dlopen("libc.so.6", {
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" },
  })
  try {
    const descriptors = listeningOn(port)
    if (descriptors.length === 0) throw new Error("/proc shows no listening socket")
    for (const descriptor of descriptors) {
      const result = symbols.setsockopt(descriptor, level, name, ptr(value), value.byteLength)
      if (result !== 0) throw new Error(`Linux refused option ${name} of the listening socket`)
    }
  } finally {
    close()
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
