/** Standard output and error of a process that must outlive whoever reads them. */
import { write } from "node:fs"
import type { WriteSome } from "../log/log-buffer.ts"

/**
 * Makes the process survive a standard output or error that is full or that nobody reads. What can't
 * be written is lost. Using the two streams also makes Bun turn pipes non-blocking, without which
 * `writeToStandardOutput` would block one of the few threads that also compress and look up names.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

/** Writes past `process.stdout`, which buffers without bound. */
export const writeToStandardOutput: WriteSome = (bytes) =>
  new Promise((resolve, reject) => {
    write(process.stdout.fd, bytes, (error, written) => {
      if (error) reject(error)
      else resolve(written)
    })
  })
