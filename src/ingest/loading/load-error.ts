import { codeOf } from "../../system/text/error-code.ts"
import { printableLine } from "../../system/text/printable-text.ts"

/** Why a load published nothing, or a file was not written. The message is for the operator. */
export class LoadError extends Error {
  override name = "LoadError"
  /** The reason in figures, for everyone: it has no values of rows. */
  readonly finding: string

  constructor(message: string, options: ErrorOptions & { finding?: string } = {}) {
    super(message, options)
    this.finding = options.finding ?? "the files cannot be read"
  }
}

/** @param details values and the cure, for the operator alone */
export const refused = (finding: string, details: string): LoadError =>
  new LoadError(`Nothing was published: ${finding}${details}`, { finding })

/** The cause of a `LoadError` for a table that has other columns than its source. */
export class OtherColumns extends Error {
  override name = "OtherColumns"
}

/** @param what the fault of the file, in a few words */
export const cannotRead = (name: string, what: string, options?: ErrorOptions): LoadError =>
  new LoadError(`Cannot read ${printableLine(name)}: ${what}`, options)

/** Adds the cure to the fault of an incomplete copy. */
export const damaged = (fault: string): string => `${fault}. Download or save it again`

/** Why a file cannot be read or written, in the words of the operating system. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "not a directory",
  EISDIR: "it is a directory",
  EEXIST: "file exists",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "too many symbolic links",
  EROFS: "read-only file system",
  ENOSPC: "no space left on device",
  EDQUOT: "disk quota exceeded",
}

export function reasonOf(error: unknown): string {
  const reason = reasons[codeOf(error)]
  return reason ?? (error instanceof Error ? error.message : String(error))
}
