import { at, type Random, weighted } from "./random.ts"
import { accents, type NameShape, rootEnds, rootMiddles, rootStarts } from "./words.ts"

/** A name in two parts, as each register writes the legal form in its own way. */
export interface Name {
  core: string
  form: string
}

export const listedForms = weighted(
  ["LIMITED", 26],
  ["LTD", 9],
  ["LTD.", 2],
  ["LIMITED.", 2],
  ["NL", 4],
  ["N.L.", 1],
  ["PLC", 2],
  ["INC.", 1],
  ["CORP.", 1],
)
export const privateForms = weighted(
  ["PTY LTD", 12],
  ["PTY LIMITED", 4],
  ["PTY. LTD.", 2],
  ["PTY. LIMITED", 1],
)
const limitedForms = ["LIMITED", "LTD", "LTD."]
const proprietaryForms = ["PTY LTD", "PTY. LTD.", "PTY LIMITED", "PTY. LIMITED"]
const titleForms: Readonly<Record<string, string>> = {
  LIMITED: "Limited",
  LTD: "Ltd",
  "LTD.": "Ltd.",
  "LIMITED.": "Limited.",
  "INC.": "Inc.",
  "CORP.": "Corp.",
  PLC: "plc",
  "PTY LTD": "Pty Ltd",
  "PTY. LTD.": "Pty. Ltd.",
  "PTY LIMITED": "Pty Limited",
  "PTY. LIMITED": "Pty. Limited",
}

export function textOf({ core, form }: Name): string {
  return `${core} ${form}`
}

export function makeRoot(random: Random): string {
  return random.pick(rootStarts) + random.pick(rootMiddles) + random.pick(rootEnds)
}

export function makeCore(random: Random, shape: NameShape, trade: string): string {
  const root = makeRoot(random)
  switch (shape) {
    case "plain":
      return `${root} ${trade}`
    case "two roots":
      return `${root} & ${makeRoot(random)} ${trade}`
    case "comma":
      return `${root}, ${makeRoot(random)} and Partners ${trade}`
    case "initials":
      return `${root.charAt(0)}.${makeRoot(random).charAt(0)}. ${root} ${trade}`
    case "apostrophe":
      return random.chance(0.5) ? `O'${root} ${trade}` : `${root}'s Reward ${trade}`
    case "brackets":
      return `${root} (${makeRoot(random)}) ${trade}`
    case "accent":
      return `${root.replace(/[aeiou]/, (vowel) => accents[vowel] ?? vowel)} ${trade}`
    case "lower first":
      return `e${root} ${trade}`
    case "number":
      return `${2 + random.below(97)} ${root} ${trade}`
    case "hyphen":
      return `${root}-${makeRoot(random)} ${trade}`
  }
}

/** Registers and directories mostly write upper case; some names keep their own case. */
export function inSomeCase(random: Random, name: Name): Name {
  return random.chance(0.65)
    ? { core: name.core.toUpperCase(), form: name.form }
    : { core: name.core, form: titleForms[name.form] ?? name.form }
}

/**
 * Repeats `make` until its core differs from all in `taken` by more than case and punctuation, so
 * that no two names are the same by accident. A joint venture shares its name deliberately.
 */
export function distinct(taken: Set<string>, make: () => Name): Name {
  for (let attempt = 0; attempt < 1000; attempt++) {
    const name = make()
    const key = name.core.toUpperCase().replace(/[^\p{L}\p{N}]/gu, "")
    if (!taken.has(key)) {
      taken.add(key)
      return name
    }
  }
  throw new RangeError("Cannot invent another name: the sizes ask for more than the words give")
}

/**
 * The ways in which a register may write one name: its case, its punctuation and the forms of
 * LIMITED and PTY LTD differ, its words do not.
 */
export function spellingsOf(name: Name): string[] {
  const upperCore = name.core.toUpperCase()
  const form = name.form.toUpperCase()
  const forms = [limitedForms, proprietaryForms].find((all) => all.includes(form)) ?? [form]
  const first = at(forms, 0)
  return [
    textOf(name),
    ...forms.map((other) => `${upperCore} ${other}`),
    `${name.core} ${titleForms[first] ?? first}`,
    `${upperCore}, ${first}`,
    `${upperCore.replaceAll("'", "’")} ${first}`,
  ]
}
