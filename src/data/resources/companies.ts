import { Type } from "@sinclair/typebox"
import { sql } from "drizzle-orm"
import { fold } from "../../system/text/fold.ts"
import { companiesHistory as history, companiesTable as table } from "../db/schema.ts"
import { containing, contains, equals, textFilter } from "./conditions.ts"
import { field, filter, type Resource } from "./resource.ts"
import {
  asxCodeFromText,
  asxCodeInPath,
  asxCodeOf,
  calendarDate,
  countSchema,
  fieldsOf,
  folded,
  foldedOrNull,
  freeText,
  nameKey,
  provenanceOf,
  textSchema,
} from "./values.ts"

const searched = contains(table.company_name_folded)
const searchedCode = contains(sql`lower(${table.asx_code})`)

/** ASX-listed resource companies. */
export const companies: Resource = {
  name: "companies",
  singular: "company",
  description: "Resource companies that are or were listed on the ASX.",
  table,
  history,
  since: table.since_release,
  key: "asx_code",
  keyInPath: asxCodeInPath,
  keyFromPath: asxCodeFromText,
  fields: {
    ...fieldsOf(table, {
      asx_code: asxCodeOf("ASX code"),
      company_name: textSchema("Name, as the exchange lists it", "EXAMPLE MINERALS LIMITED"),
      market_cap_aud: Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        description: "Market capitalisation, in Australian dollars",
        examples: [4_815_000_000],
      }),
      gics_sector: textSchema("GICS sector name", "Materials"),
      gics_industry_group: textSchema("GICS industry group name", "Materials"),
    }),
    total_tenements: field(
      table.total_tenements,
      countSchema(
        "Number of tenements in the list of its tenements; 0 for a secondary listing, such as options, of a company whose ordinary share has another code",
        1,
      ),
      { loaded: false },
    ),
    is_active: field(
      table.is_active,
      Type.Boolean({ description: "Whether it is listed today", examples: [true] }),
    ),
    successor: field(
      table.successor,
      textSchema("New code of the company after the end of this one"),
      { shown: "in history" },
    ),
    listing_date: field(table.listing_date, calendarDate("Day of listing", "2003-05-12"), {
      shown: "never",
    }),
    ...provenanceOf(table),
  },
  filters: {
    search: filter(
      freeText("Part of the company name or of the ASX code", "minerals"),
      (pattern) => sql`(${searched(pattern)} or ${searchedCode(pattern)})`,
      fold,
      containing,
    ),
    sector: textFilter("GICS sector", "Materials", table.gics_sector_folded, table.gics_sector),
    gics_industry_group: textFilter(
      "GICS industry group",
      "Materials",
      table.gics_industry_group_folded,
      table.gics_industry_group,
    ),
    active: filter(
      Type.Boolean({
        description: "Listed companies, or companies that are no longer listed",
        default: true,
      }),
      equals(table.is_active),
    ),
  },
  sorts: {
    name: table.company_name_folded,
    market_cap: table.market_cap_aud,
    asx_code: table.asx_code,
    total_tenements: table.total_tenements,
  },
  defaultOrder: [{ column: table.company_name_folded, direction: "asc" }],
  derived: {
    company_name_folded: { from: ["company_name"], derive: folded },
    name_key: { from: ["company_name"], derive: nameKey, rule: "names", unseen: true },
    gics_sector_folded: { from: ["gics_sector"], derive: foldedOrNull },
    gics_industry_group_folded: { from: ["gics_industry_group"], derive: foldedOrNull },
  },
  links: "names",
}
