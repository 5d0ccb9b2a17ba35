/** Secrets in files, as Docker and Kubernetes mount them: `NAME_FILE` names the file of the setting `NAME`. */
import { readFileSync, statSync } from "node:fs"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The value of a secret setting: the variable's own, or that of the file, without a byte order mark
 * at its beginning and the line break at its end. Undefined where neither is given.
 * @throws Error whose message never contains the value
 */
export function secretValue(name: string, environment: Environment): string | undefined {
  const value = environment[name]
  const path = environment[`${name}_FILE`]
  if (!path) return value
  if (value) throw new Error(`is given twice: unset it or ${name}_FILE`)
  const text = readSecret(name, path)
  // Empty would mean none, and the service would start without what it should use.
  if (text === "") throw new Error(`is empty in ${name}_FILE, ${path}`)
  return text
}

const maxBytes = 65_536

function readSecret(name: string, path: string): string {
  try {
    return textOf(path).replace(/\r?\n$/, "")
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot be read from ${name}_FILE: ${reason}`)
  }
}

/** A pipe would be waited for, and a device read without end. */
function textOf(path: string): string {
  const stats = statSync(path)
  if (!stats.isFile()) throw new Error(`${path} is not a regular file`)
  if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes / 1024} KiB`)
  const bytes = readFileSync(path)
  try {
    // Leaves out a byte order mark.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes)
  } catch {
    throw new Error("it is not in UTF-8")
  }
}
