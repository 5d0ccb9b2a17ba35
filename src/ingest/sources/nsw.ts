/**
 * New South Wales' register, in today's columns, those of the shapefile of 2013 to 2016 and those of the older
 * export.
 *
 * Only the older export has a type and a status. Elsewhere the type follows from the letters with
 * which the title begins (`EL 8123 (1992)`); a title is granted if it has a grant date, as
 * the register lists titles in force, and pending if its letters are those of an application.
 * The shapefile has the letters in a column of their own, and in `AREA` square degrees beside the stated area.
 *
 * The older export repeats a title for each of its holders, and some for no visible reason.
 *
 * The numbers of titles begin anew with each act: CML 6 of 1973 and CML 6 of 1992 are two leases. So the year
 * of the act is part of the id. Today's titles end in it; in other layouts it is in a column of its own.
 */
import { holdersIn } from "./register-holders.ts"
import { registerSource } from "./register-source.ts"
import { withLetters, writtenText } from "./register-values.ts"
import type { RawRecord } from "./source.ts"
import { lettersOfNsw } from "./tenement-types.ts"

export const nsw = registerSource({
  name: "nsw",
  state: "NSW",
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
    area: ["TITLE_AREA", "area"],
    commodities: ["minerals", "mineral", "groups", "group"],
    code: ["TITLE_CODE"],
    act: ["act_year", "act year", "actyear", "act"],
  },
  entryOf: (raw) => {
    const reference = withLetters(raw.reference, raw.code)
    const { prefix, isApplication } = prefixOf(reference)
    return {
      ...raw,
      reference,
      status: writtenText(raw.status) ?? statusOf(raw, isApplication),
      type: writtenText(raw.type) ?? prefix,
      holders: holdersIn(writtenText(raw.holder) === null ? raw.company : raw.holder),
      identity: withYearOfAct(reference, writtenText(raw.act)),
    }
  },
})

const letters = /^([A-Z]+(?:\([A-Z&]+\)[A-Z]+)?)/i

/** `CML 6` of the `Mining Act 1992` is `CML 6 1992`, and so is `CML 6 (1992)`. */
function withYearOfAct(reference: string | null, act: string | null): string | null {
  const [year] = /\b(?:1[89]|20)\d\d\b/.exec(act ?? "") ?? []
  const isComplete = year === undefined || reference?.endsWith(`(${year})`)
  return reference === null || isComplete ? reference : `${reference} ${year}`
}

/** `ELA 6512` is an application for an exploration licence. */
function prefixOf(title: string | null): { prefix: string | null; isApplication: boolean } {
  const written = letters.exec(title ?? "")?.[1]?.toUpperCase()
  if (written === undefined) return { prefix: null, isApplication: false }
  const applied = written.replace(/A$/, "")
  const isApplication = applied !== written && Object.hasOwn(lettersOfNsw, applied)
  return { prefix: isApplication ? applied : written, isApplication }
}

function statusOf({ granted }: RawRecord, isApplication: boolean): string | null {
  if (isApplication) return "application"
  return writtenText(granted) === null ? null : "granted"
}
