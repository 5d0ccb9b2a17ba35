import { nearestName } from "../text/nearest-name.ts"
import { asxAnnouncements } from "./asx-announcements.ts"
import { asxDirectory } from "./asx-directory.ts"
import { asxSectors } from "./asx-sectors.ts"
import { hasRequired } from "./columns.ts"
import { national, nationalByState } from "./national.ts"
import { nsw } from "./nsw.ts"
import { nt } from "./nt.ts"
import { ownCompanies, ownReports, ownSubsidiaries, ownTenements } from "./own-columns.ts"
import { qld } from "./qld.ts"
import { sa } from "./sa.ts"
import type { Source } from "./source.ts"
import { tas } from "./tas.ts"
import { vic } from "./vic.ts"
import { wa } from "./wa.ts"

/** Every source, in the order in which the command line lists them. */
export const sources: readonly Source[] = [
  ownCompanies,
  ownTenements,
  ownSubsidiaries,
  ownReports,
  asxDirectory,
  asxSectors,
  asxAnnouncements,
  wa,
  qld,
  sa,
  nsw,
  vic,
  national,
  tas,
  nt,
  ...nationalByState,
]

/** To which others a source gives way. */
interface Precedence {
  higherSources: readonly string[]
  /** It may add what they lack, although they are loaded. */
  mayAdd: boolean
}

const registers = [wa, nsw, qld, vic, sa, tas, nt].map(({ name }) => name)

/**
 * A record belongs to the source that loaded it, but some sources give way to others: these replace
 * what they hold, and they never touch what the others hold.
 */
const precedences: Readonly<Record<string, Precedence>> = {
  [asxSectors.name]: { higherSources: [asxDirectory.name, ownCompanies.name], mayAdd: false },
  ...Object.fromEntries(
    [national, ...nationalByState].map(({ name }) => [
      name,
      { higherSources: registers, mayAdd: true },
    ]),
  ),
}

export const precedenceOf = (name: string): Precedence =>
  precedences[name] ?? { higherSources: [], mayAdd: true }

/** Whose records a source makes its own where its files have them. */
export const lowerSourcesOf = (name: string): readonly string[] =>
  Object.keys(precedences).filter((lower) => precedenceOf(lower).higherSources.includes(name))

/** The source that a file's first line is of: its banner, or the most required columns of one. */
export const sourceOfColumns = (header: readonly string[]): Source | undefined =>
  sources.find(({ banner }) => banner?.test(header.join(","))) ??
  sources
    .filter(({ columns }) => hasRequired(columns, header))
    .sort((a, b) => b.columns.required.length - a.columns.required.length)[0]

/** The source of that name, or a sentence that says which there are. */
export function sourceNamed(name: string): Source | string {
  const source = sources.find((candidate) => candidate.name === name)
  if (source) return source
  const names = sources.map((candidate) => candidate.name)
  const near = nearestName(name, names)
  return `There is no source "${name}"${near ? ` (is it "${near}"?)` : ""}. Sources are ${names.join(", ")}.`
}
