/** Standard output and error of a process that must outlive their readers. */
import { write } from "node:fs"
import type { WriteSome } from "../log/log-buffer.ts"

/**
 * Lets the process continue when standard output or error is full or has no reader. What cannot be
 * written is lost. Using the two streams also makes Bun switch pipes to non-blocking, without which
 * `writeToStandardOutput` would block one of the few threads that also compress and resolve names.
 */
export function ignoreOutputErrors(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => {})
}

/** Bypasses `process.stdout`, which buffers without bound. */
export const writeToStandardOutput: WriteSome = (bytes) =>
  new Promise((resolve, reject) => {
    write(process.stdout.fd, bytes, (error, written) => {
      if (error) reject(error)
      else resolve(written)
    })
  })
