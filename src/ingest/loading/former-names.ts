/**
 * Former names of companies. Registers list the tenements of a renamed company under its old name, often
 * for years.
 *
 * A code that another company has taken over is not a renamed company. Two signs distinguish them: a code
 * becomes free only after its company is delisted, and that takes time. So a name is certain if no load
 * lacked the company before the change, and if the files before and after are close enough in time that
 * no company came between. The times of both files must be known: an operator may load old files on one day.
 *
 * Another listing of the company with the same name and listing date, such as its rights, shows that the
 * company was listed while its code was not. Another listing date shows another company.
 */
import { arrayLiteral } from "../../system/text/array-literal.ts"
import type { Observed } from "./observation.ts"
import type { Staging } from "./staging.ts"

/**
 * Records the names that this release changes. Must run before the load is recorded in `sources`.
 * @param returned the keys of records that were missing, and that the files have again
 */
export async function recordFormerNames(
  { sql, release }: Staging,
  { time, isKnown }: Observed,
  returned: readonly string[],
): Promise<void> {
  await sql.unsafe(recordChangedNames, [release, time, isKnown, arrayLiteral(returned)])
}

/** A code that may have changed hands leaves its earlier names behind. */
const recordChangedNames = `
  with changed as (
    select h.asx_code, h.company_name, h.name_key, h.until_release,
      coalesce(h.listing_date = c.listing_date, true) and (
          h.is_active and not h.asx_code = any($4::text[]) or exists (
            select from companies l where starts_with(l.asx_code, h.asx_code) and l.asx_code <> h.asx_code
              and l.is_active and l.name_key = h.name_key and l.listing_date = h.listing_date
          ))
        and coalesce($3::boolean and last.last_observed_is_known, false)
        and coalesce(last.last_observed_at >= $2::timestamptz - interval '2 years', false) as is_certain
    from companies_history h join companies c on c.asx_code = h.asx_code
      left join sources last on last.name = h.source and last.resource = 'companies'
    where h.until_release = $1 and h.name_key not in ('', c.name_key)
      -- A company whose name the exchange has left blank has its code instead.
      and h.company_name <> h.asx_code
  ), kept as (
    insert into former_names (asx_code, name, name_key, until_release, is_certain)
    select asx_code, company_name, name_key, until_release, is_certain
    from changed
    on conflict (asx_code, name_key) do update set
      name = excluded.name, until_release = excluded.until_release, is_certain = excluded.is_certain
  )
  update former_names f set is_certain = false from changed c
  where f.asx_code = c.asx_code and f.name_key <> c.name_key and f.is_certain
    and not c.is_certain`
