/**
 * The names that companies bore before. A company that is renamed goes on holding what the registers
 * list under its old name, often for years.
 *
 * A code that another company has taken over is not a company renamed. The loads tell them apart by
 * two signs: a code is free only once its company is listed no longer, and that takes its time. So a
 * name is certain if the company was listed until it changed, and if the loads before and after are
 * not too far apart to miss a company that came between.
 */
import type { TransactionSql } from "postgres"

/** Keeps the names that this release changes. Before the release's own row is inserted. */
export async function keepFormerNames(sql: TransactionSql, release: number): Promise<void> {
  await sql.unsafe(keepChangedNames, [release])
  await sql.unsafe(doubtEarlierNames, [release])
}

const keepChangedNames = `
  insert into former_names (asx_code, name, name_key, until_release, is_certain)
  select h.asx_code, h.company_name, h.name_key, h.until_release,
    h.is_active and not exists (
      select from releases r where r.source = h.source
      having max(r.published_at) < now() - interval '2 years')
  from companies_history h join companies c on c.asx_code = h.asx_code
  where h.until_release = $1 and h.name_key not in ('', c.name_key)
  on conflict (asx_code, name_key) do update set
    name = excluded.name, until_release = excluded.until_release, is_certain = excluded.is_certain`

/** A code that may have changed hands leaves its earlier names behind. */
const doubtEarlierNames = `
  update former_names f set is_certain = false
  from former_names changed
  where changed.asx_code = f.asx_code and changed.until_release = $1 and not changed.is_certain
    and f.is_certain`
