/**
 * New South Wales' register, in today's columns, those of the shapefile of 2013 and those of the older
 * export.
 *
 * Only the older export has a type and a status. Elsewhere the type follows from the letters with
 * which the title begins (`EL 8123 (1992)`); a title is granted if it has a grant date, as
 * the register lists titles in force, and pending if its letters are those of an application.
 *
 * The older export repeats a title for each of its holders, and some for no visible reason.
 */
import { ownersIn } from "./national-owners.ts"
import { registerSource } from "./register-tenement.ts"
import { textOf } from "./register-values.ts"
import type { RawRecord } from "./source.ts"
import { lettersOfNsw } from "./tenement-types.ts"

export const nsw = registerSource({
  name: "nsw",
  description: "New South Wales' register of titles, in today's columns or those of older exports",
  required: {
    reference: ["title", "TENID", "TITLE_NO"],
    holder: ["holder", "OWNER", "COMPANY"],
    granted: ["grant_date", "GRANTDATE"],
    expires: ["expiry_date", "EXPIREDATE", "EXPIRY_DAT"],
  },
  optional: {
    company: ["company"],
    type: ["type"],
    status: ["status", "TENSTATUS"],
    area: ["area"],
    act: ["act_year", "act year", "actyear", "act"],
  },
  sharesReferences: true,
  entryOf: (raw) => {
    const { prefix, isApplication } = prefixOf(raw.reference)
    return {
      ...raw,
      state: "NSW",
      status: textOf(raw.status) ?? statusOf(raw, isApplication),
      type: textOf(raw.type) ?? prefix,
      holders: ownersIn(textOf(raw.holder) === null ? raw.company : raw.holder),
    }
  },
})

const letters = /^\s*([A-Z]+(?:\([A-Z&]+\)[A-Z]+)?)/i

/** `ELA 6512` is an application for an exploration licence. */
function prefixOf(title: unknown): { prefix: string | null; isApplication: boolean } {
  const written = letters.exec(textOf(title) ?? "")?.[1]?.toUpperCase()
  if (written === undefined) return { prefix: null, isApplication: false }
  const applied = written.replace(/A$/, "")
  const isApplication = applied !== written && Object.hasOwn(lettersOfNsw, applied)
  return { prefix: isApplication ? applied : written, isApplication }
}

function statusOf({ granted }: RawRecord, isApplication: boolean): string | null {
  if (isApplication) return "application"
  return textOf(granted) === null ? null : "granted"
}
