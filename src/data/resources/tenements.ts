import { Type } from "@sinclair/typebox"
import { sql } from "drizzle-orm"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { fold } from "../../system/text/fold.ts"
import { referenceKey } from "../../system/text/reference-key.ts"
import { tenementsHistory as history, states, tenementsTable as table } from "../db/schema.ts"
import { parseBox } from "../places/area.ts"
import { boundNear } from "./around-tenement.ts"
import { hasLegalForm, normaliseName } from "./company-name.ts"
import {
  boundArea,
  companyFilter,
  containing,
  contains,
  equals,
  hasTrigram,
  includes,
  periodFilters,
  shapeFilter,
  termFilter,
  textFilter,
} from "./conditions.ts"
import { namedHolders } from "./holder-names.ts"
import { type Filter, field, filter, type Readable, type Resource, type Value } from "./resource.ts"
import {
  calendarDate,
  fieldsOf,
  foldedOrNull,
  freeText,
  listOf,
  oneOf,
  pathSafeId,
  placeFields,
  provenanceOf,
  textSchema,
  textValue,
  wholeText,
} from "./values.ts"

const state = oneOf(states, { description: "State or territory", examples: ["WA"] })

/** Punctuation varies, so only the ASCII letters and digits are compared. */
const lettersAndDigits = (text: string, between: string): string =>
  text.toLowerCase().replace(/[^a-z0-9]+/g, between)

const searchKey = (value: Value | undefined): string => lettersAndDigits(textValue(value), "")

/** Reduces the text to its runs of letters and digits; a text without any to a character that no key contains. */
const spacedNumber = (text: string): string => lettersAndDigits(text, " ").trim() || "/"

const withoutSpaces = (spaced: string): string => spaced.replaceAll(" ", "")

/** The id, the reference or the name contains the term, or it is the same reference in another written form. */
const numberFilter: Filter = {
  ...filter(
    freeText(
      "Part of the id, of the reference or of the name, or the reference in any spelling",
      "E47/9001",
    ),
    (bound) => {
      const term = sql`(${bound}::text[])[1]`
      return sql`(${contains(table.search_key)(term)} or ${contains(table.name_key)(term)}
        or ${table.reference_key} = (${bound}::text[])[2])`
    },
    spacedNumber,
    (spaced) => arrayLiteral([containing(withoutSpaces(spaced)), referenceKey(spaced) || null]),
  ),
  isIndexed: (spaced) => hasTrigram(withoutSpaces(String(spaced))),
}

const loadedIfAsked = { shown: "asked", loaded: true } as const

/** The tenements linked to a company: it or one of its subsidiaries holds them. */
export const belongsToCompany = includes(table.asx_codes)

/** Mining tenements of all Australian states. */
export const tenements: Resource = {
  name: "tenements",
  singular: "tenement",
  description: "Mining tenements of all Australian states and of the Northern Territory.",
  table,
  history,
  since: table.since_release,
  key: "id",
  fields: {
    ...fieldsOf(table, {
      id: pathSafeId("WA-E47-9001"),
      tenement_id: textSchema("Reference, as in the register of its state", "E47/9001"),
      state,
      status: textSchema("Status, such as granted or pending", "granted"),
      type: textSchema("Type, such as exploration or mining", "exploration"),
      holder_name: listOf("Holder; several are listed as A; B", "EXAMPLE GOLD PTY LTD"),
      grant_date: calendarDate("Day of grant", "2021-05-17"),
      expiry_date: calendarDate("Day of expiry", "2031-05-16"),
      area_km2: Type.Number({
        minimum: 0,
        description: "Area, in square kilometres",
        examples: [212.75],
      }),
    }),
    asx_codes: field(
      table.asx_codes,
      Type.Array(Type.String(), {
        description: "ASX codes of the companies that it is linked to; only if `fields` names it",
        examples: [["XMR"]],
      }),
      { shown: "asked", select: sql`array_to_string(${table.asx_codes}, '; ')` },
    ),
    name: field(
      table.given_name,
      textSchema(
        "Name of its permit, project or operation; only if `fields` names it",
        "Example Mine",
      ),
      loadedIfAsked,
    ),
    commodities: field(
      table.commodities,
      listOf(
        "Its commodities, as its register writes them; only if `fields` names them",
        "Gold; Copper",
      ),
      loadedIfAsked,
    ),
    ...placeFields(table),
    ...provenanceOf(table),
  },
  filters: {
    state: {
      ...filter(state, equals(table.state)),
      values: { column: table.state, each: sql`array[${table.state}]` },
    },
    status: textFilter("Status", "granted", table.status_folded, table.status),
    type: textFilter("Type", "exploration", table.type_folded, table.type),
    holder: termFilter("Part of a holder's name", "gold", table.holder_name_folded),
    held_by: {
      ...filter(
        wholeText("Whole name of a holder, in any usual spelling", "EXAMPLE GOLD PTY LTD"),
        includes(table.holder_keys),
        undefined,
        normaliseName,
      ),
      values: {
        keys: table.holder_keys,
        spellings: sql`case when ${table.holder_spellings} <> '{}' then ${table.holder_spellings}
          else string_to_array(${table.holder_name}, '; ') end`,
      },
    },
    search: numberFilter,
    company: companyFilter(
      "ASX code of the company that holds it, itself or by a subsidiary",
      belongsToCompany,
    ),
    ...periodFilters("granted", "grant", ["2020-01-01", "2020-12-31"], table.grant_date),
    ...periodFilters("expires", "expiry", ["2026-01-01", "2026-03-31"], table.expiry_date),
    bbox: shapeFilter(
      "Box that its shape has a point in, as west,south,east,north in degrees",
      "115.5,-31.5,122,-28",
      "bbox",
      (text) => boundArea(parseBox(text)),
      table,
    ),
    near: shapeFilter(
      "Circle that its shape has a point in, as latitude,longitude,km, or the ground around a tenement, as ID,km; at most 200 km",
      "-30.75,121.47,50",
      "near",
      boundNear,
      table,
    ),
  },
  sorts: {
    id: table.id,
    grant_date: table.grant_date,
    expiry_date: table.expiry_date,
    area_km2: table.area_km2,
  },
  derived: {
    reference_key: {
      from: ["tenement_id"],
      derive: (value) => referenceKey(textValue(value)),
      rule: "references",
    },
    search_key: {
      from: ["id", "tenement_id"],
      derive: (...numbers) => numbers.map(searchKey).join(" "),
      rule: "references",
    },
    name_key: {
      from: ["name"],
      derive: (name) => searchKey(name) || null,
      rule: "references",
    },
    status_folded: { from: ["status"], derive: foldedOrNull },
    type_folded: { from: ["type"], derive: foldedOrNull },
    holder_name_folded: { from: ["holder_name"], derive: foldedOrNull },
    has_company: {
      from: ["holder_name"],
      derive: (value) => namedHolders(textValue(value)).some(hasLegalForm),
      rule: "names",
      unseen: true,
    },
    holder_keys: {
      from: ["holder_name"],
      derive: (value) => [...holdersByKey(value).keys()],
      rule: "names",
    },
    holder_spellings: {
      from: ["holder_name"],
      derive: (value) => {
        const spellings = [...holdersByKey(value).values()]
        return spellings.join("; ") === textValue(value) ? [] : spellings
      },
      rule: "names",
    },
  },
  hasShapes: true,
  links: "holders",
}

const keyOfReference = freeText("Key of a reference", "E 00000047 00009001")

/** The same in the order of their numbers, between two keys of references. */
export const tenementsByNumber: Readable = {
  ...tenements,
  filters: {
    ...tenements.filters,
    from_key: filter(keyOfReference, (key) => sql`${table.reference_key} >= ${key}`),
    before_key: filter(keyOfReference, (key) => sql`${table.reference_key} < ${key}`),
  },
  sorts: { reference: table.reference_key },
}

/**
 * Whether a tenement is granted although its expiry date has passed: a register lists it so while its
 * authority decides whether to renew it.
 * @param day today
 */
export const isPastExpiry = (
  { status, expiry_date }: Readonly<Record<string, unknown>>,
  day: string,
): boolean =>
  fold(String(status)) === "granted" && typeof expiry_date === "string" && expiry_date < day

/** The holders that links and counts know by their keys, each in its last spelling. */
const holdersByKey = (holderName: Value | undefined): Map<string, string> =>
  new Map(
    namedHolders(textValue(holderName))
      .map((name) => [normaliseName(name), name] as const)
      .filter(([key]) => key !== ""),
  )
