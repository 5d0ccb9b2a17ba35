import { once } from "node:events"
import { reasonOf } from "../loading/file-error.ts"
import { BackupError } from "./backup-error.ts"
import type { OutputFile } from "./output-file.ts"

/** Whoever reads it must not take what a failed command has written for a backup; restore refuses it. */
export function standardOutput(): OutputFile {
  if (process.stdout.isTTY) {
    throw new BackupError("Standard output is a terminal: redirect it to a file or a program")
  }
  let isWhole = false
  return {
    write: async (bytes) => {
      const failure = Promise.withResolvers<never>()
      failure.promise.catch(() => {})
      process.stdout.on("error", (error) => {
        const reason = reasonOf(error)
        failure.reject(
          new BackupError(`Cannot write to standard output: ${reason}`, { cause: error }),
        )
      })
      for await (const chunk of bytes) {
        if (process.stdout.write(chunk)) continue
        await Promise.race([once(process.stdout, "drain"), failure.promise])
      }
      const written = Promise.withResolvers<void>()
      process.stdout.write("", () => written.resolve())
      await Promise.race([written.promise, failure.promise])
      isWhole = true
    },
    abandon: async () => isWhole,
  }
}
