/** Names made of syllables without a meaning, so that every company, project and holder is invented. */
import { at, type Random, weighted } from "./random.ts"

const starts =
  `Bar Bel Bor Bran Cal Cor Dar Del Dorn Ell Fen Gar Gel Hal Harn Ith Jar Jor Kal Kel Lor Mel
  Mor Narr Nel Oth Pel Quor Ral Ren Sel Sorr Tar Tel Thorn Ulv Var Vel Wel Yarr Zan Zel`.split(
    /\s+/,
  )
const middles = "a ar en i ill o or u ul".split(" ")
const ends =
  "bine bock dane dril gath grove ket lund mere mott nock phel quin rick sund tane tharn tock vane vex wick worrin zeth".split(
    " ",
  )

export const makeRoot = (random: Random): string =>
  random.pick(starts) + random.pick(middles) + random.pick(ends)

/** A name in two parts, as each register writes the legal form in its own way. */
export interface Name {
  core: string
  form: string
}

const spellings: Readonly<Record<string, readonly string[]>> = {
  LIMITED: ["LIMITED", "LTD", "LTD."],
  "PTY LTD": ["PTY LTD", "PTY. LTD.", "PTY LIMITED", "PTY. LIMITED"],
}

/** A name of so many roots and a trade, different from all in `taken`, to which it is added. */
export function makeName(
  random: Random,
  { form, roots = 1, trades }: { form: string; roots?: number; trades: readonly string[] },
  taken: Set<string>,
): Name {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const words = Array.from({ length: roots }, () => makeRoot(random))
    const core = `${words.join(" & ")} ${random.pick(trades)}`.toUpperCase()
    if (taken.has(core)) continue
    taken.add(core)
    return { core, form }
  }
  throw new RangeError("Cannot invent another name: the sizes ask for more than the words give")
}

export const nameText = ({ core, form }: Name): string => `${core} ${form}`

/** The ways in which a register may write one name. */
export const spellingsOf = ({ core, form }: Name): string[] => [
  ...(spellings[form] ?? [form]).map((each) => `${core} ${each}`),
  `${core}, ${form}`,
  `${titleCase(core)} ${titleCase(form)}`,
]

const titleCase = (text: string): string =>
  text.toLowerCase().replace(/\b[a-z]/g, (letter) => letter.toUpperCase())

const privateTrades = ["Prospecting", "Nominees", "Mining", "Earthmoving"]
const holderCounts = weighted([1, 86], [2, 11], [3, 3])
const linkedShare = 0.6

/**
 * The holders of tenements: about 60% a company or its subsidiary under some spelling, the largest company
 * most often; the rest private companies and persons that belong to no company.
 */
export function holderPicker(random: Random, linked: readonly Name[], taken: Set<string>) {
  const unrelated = Array.from({ length: 300 }, () =>
    makeName(random, { form: "PTY LTD", trades: privateTrades }, taken),
  )
  const pickOne = (own: Random): string => {
    if (linked.length > 0 && own.chance(linkedShare)) {
      return own.pick(spellingsOf(own.chance(0.1) ? at(linked, 0) : own.pickEarly(linked)))
    }
    // A placeholder in the shape of a person's name, which no person bears.
    if (own.chance(0.35)) return `SURNAME${1000 + own.below(9000)}, GIVEN${10 + own.below(90)}`
    return own.pick(spellingsOf(own.pick(unrelated)))
  }
  /** `A`, or `A; B` and so on; null where the register names no holder. */
  return (own: Random): string | null =>
    own.chance(0.004)
      ? null
      : [...new Set(Array.from({ length: own.pick(holderCounts) }, () => pickOne(own)))].join("; ")
}
