/** A user name for programs that ask for one, where /etc/passwd has none: by the library nss_wrapper. */
import { existsSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** Debian's folder of libraries, by the architecture's name. */
const folders: Partial<Record<NodeJS.Architecture, string>> = {
  x64: "/usr/lib/x86_64-linux-gnu",
  arm64: "/usr/lib/aarch64-linux-gnu",
}

/**
 * The environment in which this process's user has a name, and what must be done afterwards; undefined
 * where the library is not installed.
 * @param dir where the file with the name is kept meanwhile
 */
export function lendUserName(
  dir: string,
): { environment: Record<string, string>; release: () => void } | undefined {
  const library = join(folders[process.arch] ?? "/usr/lib", "libnss_wrapper.so")
  if (!existsSync(library)) return undefined
  const passwd = join(dir, "passwd")
  writeFileSync(passwd, `mds:x:${process.geteuid?.()}:${process.getegid?.()}::/:/bin/false\n`)
  return {
    environment: {
      LD_PRELOAD: library,
      NSS_WRAPPER_PASSWD: passwd,
      NSS_WRAPPER_GROUP: "/etc/group",
    },
    release: () => rmSync(passwd, { force: true }),
  }
}
