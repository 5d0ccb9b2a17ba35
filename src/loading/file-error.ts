import { codeOf } from "../text/error-code.ts"

/** Why a file cannot be read or written, in the words of the operating system. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  ENOTDIR: "not a directory",
  EISDIR: "is a directory",
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
