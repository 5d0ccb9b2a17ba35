/**
 * The parts of sample names. Roots are combinations of syllables without a meaning, so
 * that every company, subsidiary, project and private holder is invented.
 */

const starts =
  "Bar Bel Bor Bran Cal Cor Dar Del Dorn Ell Fen Gar Gel Hal Harn Ith Jar Jor Kal Kel Lor Mel Mor Narr Nel Oth Pel Quor Ral Ren Sel Sorr Tar Tel Thorn Ulv Var Vel Wel Yarr Zan Zel"
export const rootStarts = starts.split(" ")
export const rootMiddles = "a ar en i ill o or u ul".split(" ")
export const rootEnds =
  "bine bock dane dril gath grove ket lund mere mott nock phel quin rick sund tane tharn tock vane vex wick worrin zeth".split(
    " ",
  )

export const tradesBySector: Readonly<Record<string, readonly string[]>> = {
  Materials: [
    "Resources",
    "Minerals",
    "Metals",
    "Mining",
    "Gold",
    "Copper",
    "Lithium",
    "Exploration",
    "Iron Ore",
    "Rare Earths",
    "Gold & Copper",
    "Metals and Mining",
  ],
  Energy: ["Energy", "Petroleum", "Oil & Gas", "Uranium", "Coal", "Gas", "Oil and Gas"],
}
export const otherTrades = ["Group", "Holdings", "Ventures", "Industries"]

/** Ways to build a name around a trade; every shape occurs, the plain one most often. */
export const nameShapes = [
  "plain",
  "plain",
  "two roots",
  "plain",
  "comma",
  "plain",
  "initials",
  "plain",
  "apostrophe",
  "plain",
  "brackets",
  "plain",
  "accent",
  "plain",
  "lower first",
  "plain",
  "number",
  "plain",
  "hyphen",
] as const

export type NameShape = (typeof nameShapes)[number]

export const accents: Readonly<Record<string, string>> = {
  a: "á",
  e: "é",
  i: "ï",
  o: "ö",
  u: "ü",
}

export const foreignCountries = [
  "Papua New Guinea",
  "Canada",
  "Ghana",
  "Peru",
  "New Zealand",
  "United States of America",
  "Côte d'Ivoire",
  "Tanzania, United Republic of",
]
