/**
 * A season of captures of a directory that misbehaves as the exchange's does: one a day, and one day
 * of them every hour. Companies flap, files are cut, the market capitalisation goes empty for days or
 * comes without its column; a company is renamed, some are listed and some delisted.
 */
import { seeded } from "../support/seeded.ts"

export interface Listed {
  name: string
  cap: number
}

export interface Capture {
  /** When it was true, in hours of the season. */
  hour: number
  /** What the exchange lists at that time, by code. */
  listed: ReadonlyMap<string, Listed>
  /** What the file has of it. The cap is null where it is `--`, and absent without a column. */
  rows: ReadonlyMap<string, { name: string; cap?: number | null }>
  fault: "none" | "cut" | "cut a little" | "emptied" | "three columns"
}

const companies = 60
const seasonHours = 90 * 24
/** Long enough to be absent from three daily captures, and always shorter than the rule. */
const longestFlapHours = 47

export function* seasonOfCaptures(seed: number): Generator<Capture> {
  const random = seeded(seed)
  const below = (bound: number) => Math.floor(random() * bound)
  const codeOf = (index: number) => `Q${String(index).padStart(2, "0")}`
  const listed = new Map<string, Listed>(
    Array.from({ length: companies }, (_, index) => [
      codeOf(index),
      { name: `QUARRY ${index} LIMITED`, cap: 1_000_000 * (index + 1) },
    ]),
  )
  /** Until when a company is missing, by code: mostly the same few. */
  const flapsUntil = new Map<string, number>()
  const days = (from: number, count: number) => (hour: number) =>
    hour >= from * 24 && hour < (from + count) * 24
  const isEmptied = [days(25, 2), days(61, 3)]
  const isWithoutColumn = [days(12, 1), days(47, 2)]
  // Some are missing before and after a cut file that has them, for longer than the rule in all.
  const isCutBetween = [18, 45, 78]
  let missingAround: string[] = []
  const hours = hoursOfCaptures()
  for (const [index, hour] of hours.entries()) {
    if (index % 9 === 8) listed.delete([...listed.keys()][below(listed.size)] ?? "")
    if (index % 15 === 14) listed.set(codeOf(companies + index), { name: "NEW LIMITED", cap: 7 })
    if (index === 40) {
      for (const [code, { cap }] of [...listed].slice(0, 1)) {
        listed.set(code, { name: "RENAMED LIMITED", cap })
      }
    }
    if (index % 10 === 0) {
      for (const [code, { name, cap }] of listed) listed.set(code, { name, cap: cap + below(100) })
    }
    if (random() < 0.6 && index > 0) {
      const code = [...listed.keys()][below(below(2) === 0 ? 5 : listed.size)] ?? ""
      const until = flapsUntil.get(code)
      // After it was back for a capture at least: what flaps for longer than the rule is gone.
      if (until === undefined || until + 24 < hour) {
        flapsUntil.set(code, hour + 1 + below(longestFlapHours))
      }
    }
    const isCut = isCutBetween.some((day) => day * 24 === hour)
    const isBefore = isCutBetween.some((day) => (day - 1) * 24 === hour)
    const isAfter = isCutBetween.some((day) => (day + 1) * 24 === hour)
    if (isBefore) {
      const steady = [...listed.keys()].filter((code) => (flapsUntil.get(code) ?? -24) + 24 < hour)
      missingAround = steady.slice(0, 2)
    }
    if (isBefore || isAfter) for (const code of missingAround) flapsUntil.set(code, hour)
    const present = [...listed].filter(([code]) => (flapsUntil.get(code) ?? -1) < hour)
    const chance = random()
    const fault = isCut
      ? "cut"
      : isEmptied.some((holds) => holds(hour))
        ? "emptied"
        : isWithoutColumn.some((holds) => holds(hour))
          ? "three columns"
          : index === 0 || chance > 0.16 || isBefore || isAfter
            ? "none"
            : chance < 0.09
              ? "cut"
              : "cut a little"
    const length =
      fault === "cut"
        ? 10 + below(present.length - 20)
        : fault === "cut a little"
          ? present.length - 1
          : present.length
    const rows = new Map(
      present.slice(0, length).map(([code, { name, cap }]) => {
        if (fault === "three columns") return [code, { name }]
        return [code, { name, cap: fault === "emptied" ? null : cap }]
      }),
    )
    yield { hour, listed: new Map(listed), rows, fault }
  }
}

function hoursOfCaptures(): number[] {
  const hours: number[] = []
  for (let hour = 0; hour < seasonHours; hour += 24) hours.push(hour)
  const hourly = Array.from({ length: 24 }, (_, index) => 35 * 24 + index)
  return [...new Set([...hours, ...hourly])].sort((a, b) => a - b)
}

/** The capture as the file that is downloaded. */
export function fileOf({ rows, fault }: Capture): string {
  const lines =
    fault === "three columns"
      ? [
          "ASX listed companies as at Mon Feb 01 22:29:37 EST 2016",
          "",
          "Company name,ASX code,GICS industry group",
          ...[...rows].map(([code, { name }]) => `"${name}",${code},"Materials"`),
        ]
      : [
          '"ASX code","Company name","GICs industry group","Listing date","Market Cap"',
          ...[...rows].map(
            ([code, { name, cap }]) => `"${code}","${name}","Materials","",${cap ?? '"--"'}`,
          ),
        ]
  return `${lines.join("\n")}\n`
}
