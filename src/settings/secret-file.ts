/** Secrets in files, as Docker and Kubernetes mount them: `NAME_FILE` names the file of the setting `NAME`. */
import { readFileSync } from "node:fs"

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The value of a secret setting: the variable's own, or that of the file, without the line break at its
 * end. Undefined where neither is given.
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

function readSecret(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "")
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(`cannot be read from ${name}_FILE: ${reason}`)
  }
}
