import { normaliseName } from "../../data/resources/company-name.ts"
import { asxCodeFromText } from "../../data/resources/values.ts"

const maxReadableLength = 60

/**
 * The id of a subsidiary whose file has none: the same for the same parent and any spelling of the
 * name, and safe in a path. `FMG`, `FMG Pilbara Pty Limited` is `FMG-FMG-PILBARA-PTY-LTD`.
 */
export function subsidiaryId(parentCode: string, name: string): string {
  const parent = asxCodeFromText(parentCode.trim())
  const key = normaliseName(name)
  const readable = key.replace(/[^0-9A-Z]+/g, "-")
  const isExact = key.replaceAll(" ", "-") === readable && readable.length <= maxReadableLength
  if (isExact && readable !== "") return `${parent}-${readable}`
  // A digest distinguishes names that the remaining letters do not.
  const digest = new Bun.CryptoHasher("sha256").update(`${parent}\n${key || name}`).digest("hex")
  const start = readable.slice(0, maxReadableLength).replace(/^-+|-+$/g, "")
  return [parent, start, digest.slice(0, 16)].filter((part) => part !== "").join("-")
}
