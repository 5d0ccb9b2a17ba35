/**
 * The links between tenements and companies, and the suggested ones. They are as of the newest release and
 * belong to no release.
 */

import { countOf } from "../../system/text/display.ts"
import type { ReadPool } from "../db/pool/pool.ts"
import type { AccountId } from "../db/pool/turns.ts"
import type { LinkedShares } from "./source-loads.ts"

/** The link of a tenement to a company. */
export interface TenementLink {
  code: string
  company: string
  /** `name`, `subsidiary`, `declared` or `confirmed`. */
  basis: string
  /** The interest in percent, the day and the report of a declaration, where it has them. */
  interest: number | null
  asAt: string | null
  url: string | null
}

/** A company that the tenements of a holder are linked to, or may belong to. */
export interface HolderCompany {
  code: string
  name: string
  /** Whether tenements are linked; otherwise the link is a suggestion. */
  isLinked: boolean
  /** The basis of a link, `former name` apart from `name`, or a suggestion's reason. */
  reason: string
  /** The name of the company, present or former, or of its subsidiary, that the holder's resembles. */
  similarName: string
}

/** An unlinked holder that may belong to a company. */
export interface SuggestedHolder {
  name: string
  /** How many tenements a link of it would add to the company. */
  tenements: number
  /** How many tenements the links of all the company's suggested holders would add. */
  added: number
  /** See `loading/suggestions.ts`. */
  reason: string
  similarName: string
}

/**
 * The key in `link_keys` of a tenement's number in its state, of a row with both. No name of a holder has a
 * slash.
 */
export const numberKeyOf = (row: string): string => `(${row}.state || '/' || ${row}.reference_key)`

/** All keys in `link_keys` that link a tenement. */
export const linkKeysOf = (row: string): string => `(${row}.holder_keys || ${numberKeyOf(row)})`

/** The suggestions without those that an operator has decided since. */
export const undecided = `
  select s.* from suggested_links s where not exists (
    select from link_decisions d
    where d.holder_key = s.holder_key and (d.is_right or d.asx_code = s.asx_code)
  )`

/**
 * Those that would add tenements to the company, with the ids: a partner in joint titles may link
 * some already.
 */
export const additions = `
  select s.*, suggestion ->> 'reason' as reason, ids from (${undecided}) s cross join lateral (
    select array_agg(id) as ids from tenements
    where holder_keys @> array[s.holder_key] and not asx_codes @> array[s.asx_code]
  ) t where ids is not null`

/** How many tenements without a company the suggestions of a reason would link, as the operator confirms them. */
export const linkedByReason = `
  select count(*)::integer as further from tenements where asx_codes = '{}' and holder_keys && array(
    select holder_key from (${undecided}) s where suggestion ->> 'reason' = $1
    group by 1 having count(*) = 1)`

/** The reason of suggestions from the product's list of groups. */
export const knownGroup = "known group"
export const confirmGroups = `mds holders confirm --reason "${knownGroup}"`

/** What that would link, as the beginning of a sentence; null for nothing. @param byState the present links */
export function groupsInWords(byState: LinkedShares, further: number): string | null {
  const states = Object.values(byState)
  const linked = states.reduce((sum, state) => sum + state.linked, 0)
  const all = states.reduce((sum, state) => sum + state.tenements, 0)
  const share = (part: number) => `${((100 * part) / all).toFixed(1)}%`
  if (further === 0 || all === 0) return null
  return `Known groups: ${countOf(further, "more tenement")} can be linked, from ${share(linked)} to ${share(linked + further)} of all.`
}

const tenementLinks = `
  select distinct l.asx_code as code, c.company_name as company, l.basis,
    d.interest_percent as interest, d.as_at::text as "asAt", d.url
  from tenements t join link_keys l on l.key = any(${linkKeysOf("t")})
    join companies c on c.asx_code = l.asx_code
    left join declared_tenements d on d.id = l.declaration
  where t.id = $1 order by 1, 3`

const holderCompanies = `
  select distinct c.asx_code as code, c.company_name as name, true as "isLinked",
    case when basis = 'name' and c.name_key <> $1 then 'former name' else basis end as reason,
    '' as "similarName"
  from (
    select $1 as key union select ${numberKeyOf("t")} from tenements t where holder_keys @> array[$1]
  ) keys join link_keys l on l.key = keys.key join companies c on c.asx_code = l.asx_code
  union all
  select * from (
    select s.asx_code, suggestion -> 'company' ->> 'company_name', false, suggestion ->> 'reason',
      suggestion ->> 'similarName'
    from (${undecided}) s where holder_key = $1 order by position) suggested`

const suggestedHolders = `
  with suggested as (select * from (${additions}) s where asx_code = $1)
  select holder as name, cardinality(ids) as tenements, reason,
    suggestion ->> 'similarName' as "similarName",
    (select count(distinct id)::int from suggested, unnest(ids) id) as added
  from suggested order by position`

const codesOfHolders = `
  select key, json_agg(distinct asx_code order by asx_code) as codes
  from link_keys where key = any($1::text[]) group by key`

export type LinkReader = ReturnType<typeof createLinkReader>

/** Each method may throw Unavailable. */
export function createLinkReader(pool: ReadPool) {
  const read =
    <Row extends object>(statement: string) =>
    (key: string, account: AccountId): Promise<readonly Row[]> =>
      pool.runAlone(account, (db) => db.$client.unsafe<Row[]>(statement, [key]))
  return {
    /** The links of a tenement by its id, as its record has it; ordered by code. */
    ofTenement: read<TenementLink>(tenementLinks),
    /** The companies of a holder by the key of its name; links first. */
    ofHolder: read<HolderCompany>(holderCompanies),
    /** The codes of the companies that the names of holders mean, by their keys, which are an array's literal. */
    codesOfHolders: read<{ key: string; codes: string[] }>(codesOfHolders),
    /** The suggestions for a company's code: most tenements first, but those last whose reason is right least often. */
    suggestedFor: read<SuggestedHolder>(suggestedHolders),
    linkedByReason: read<{ further: number }>(linkedByReason),
  }
}
