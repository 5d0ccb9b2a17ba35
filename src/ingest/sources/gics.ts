/**
 * The Global Industry Classification Standard, as far as the ASX directory needs it: 11
 * sectors of 25 industry groups. The directory names only the group; the sector follows.
 */

/** By sector, the groups of the standard since 2023, and the names of earlier editions and abbreviations. */
const groupsBySector: Readonly<Record<string, readonly string[]>> = {
  Energy: ["Energy"],
  Materials: ["Materials"],
  Industrials: [
    "Capital Goods",
    "Commercial & Professional Services",
    "Transportation",
    "Commercial Services & Supplies",
  ],
  "Consumer Discretionary": [
    "Automobiles & Components",
    "Consumer Durables & Apparel",
    "Consumer Services",
    "Consumer Discretionary Distribution & Retail",
    "Retailing",
    "Automobile & Components",
    "Hotels Restaurants & Leisure",
  ],
  "Consumer Staples": [
    "Consumer Staples Distribution & Retail",
    "Food, Beverage & Tobacco",
    "Household & Personal Products",
    "Food & Staples Retailing",
  ],
  "Health Care": [
    "Health Care Equipment & Services",
    "Pharmaceuticals, Biotechnology & Life Sciences",
    "Pharmaceuticals & Biotechnology",
  ],
  Financials: ["Banks", "Financial Services", "Insurance", "Diversified Financials"],
  "Information Technology": [
    "Software & Services",
    "Technology Hardware & Equipment",
    "Semiconductors & Semiconductor Equipment",
  ],
  "Communication Services": ["Telecommunication Services", "Media & Entertainment", "Media"],
  Utilities: ["Utilities"],
  "Real Estate": [
    "Equity Real Estate Investment Trusts (REITs)",
    "Real Estate Management & Development",
    "Real Estate",
    "Equity Real Estate Investment Trusts",
  ],
}

/** Cells of a company without a group, or without one yet. */
const noGroup = new Set(["not applic", "not applicable", "class pend", "classification pending"])

const sectors = new Map(
  Object.entries(groupsBySector).flatMap(([sector, groups]) =>
    groups.map((group) => [normalised(group), sector] as const),
  ),
)

const resourceSectors = new Set<string | null>(["Materials", "Energy"])

/** Whether the companies of a sector are resource companies. */
export const isResourceSector = (sector: string | null): boolean => resourceSectors.has(sector)

/** The group as the directory writes it, and its sector; both null where there is none. */
export function classify(industryGroup: string) {
  const key = normalised(industryGroup)
  if (key === "" || noGroup.has(key)) return { sector: null, industryGroup: null, isUnknown: false }
  const sector = sectors.get(key) ?? null
  return { sector, industryGroup: industryGroup.trim(), isUnknown: sector === null }
}

function normalised(group: string): string {
  return group
    .toLowerCase()
    .replaceAll(",", "")
    .replace(/\band\b/g, "&")
    .replace(/\s+/g, " ")
    .trim()
}
