import { asxCodeFromText } from "../../data/resources/values.ts"

const maxReadableLength = 60

/**
 * The id of a subsidiary whose file has none: the same for the same parent and any spelling of the
 * name, and safe in a path. `FMG`, `FMG Pilbara Pty Limited` is `FMG-FMG-PILBARA-PTY-LTD`.
 */
export function subsidiaryId(parentCode: string, name: string): string {
  const parent = asxCodeFromText(parentCode.trim())
  const key = nameInId(name)
  const readable = key.replace(/[^0-9A-Z]+/g, "-")
  const isExact = key.replaceAll(" ", "-") === readable && readable.length <= maxReadableLength
  if (isExact && readable !== "") return `${parent}-${readable}`
  // A digest distinguishes names that the remaining letters do not.
  const digest = new Bun.CryptoHasher("sha256").update(`${parent}\n${key || name}`).digest("hex")
  const start = readable.slice(0, maxReadableLength).replace(/^-+|-+$/g, "")
  return [parent, start, digest.slice(0, 16)].filter((part) => part !== "").join("-")
}

const marks = /\p{M}+/gu
const legalForms: Readonly<Record<string, string>> = {
  PROPRIETARY: "PTY",
  INCORPORATED: "INC",
  CORPORATION: "CORP",
  "NO LIABILITY": "NL",
  LIMITED: "LTD",
  COMPANY: "CO",
}
const anyLegalForm = new RegExp(`\\b(?:${Object.keys(legalForms).join("|")})\\b`, "g")

/** The first rule of `normaliseName()`. It stays, because ids never change. */
const nameInId = (name: string): string =>
  name
    .replace(marks, "")
    .normalize("NFKD")
    .replace(marks, "")
    .toUpperCase()
    .replace(/\bP\s*\/\s*L\b/g, "PTY LTD")
    .replace(/&|\+/g, " AND ")
    .replace(/['’`.]/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim()
    .replace(anyLegalForm, (written) => legalForms[written] ?? written)
