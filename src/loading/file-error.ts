/** Why a file can't be read or written, as the end of a sentence. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "there is no such file",
  ENOTDIR: "a part of its path is no directory",
  EISDIR: "it is a directory",
  EEXIST: "it exists already",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EROFS: "the file system is read-only",
  ENOSPC: "no space is left on the device",
  EDQUOT: "the disk quota is exceeded",
}

export function reasonOf(error: unknown): string {
  const reason = reasons[codeOf(error)]
  return reason ?? (error instanceof Error ? error.message : String(error))
}

/** The system's name for an error, such as ENOENT; empty where it has none. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : ""
