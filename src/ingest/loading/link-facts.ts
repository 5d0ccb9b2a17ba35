/** Facts about holders and a company, for a person who decides whether they belong together. */
import { withSnapshot } from "../../data/db/connection.ts"
import { arrayLiteral } from "../../system/text/array-literal.ts"
import { ownedNames } from "./name-owners.ts"

/** Lines of text. */
export const readLinkFacts = (
  url: string,
  holderKeys: readonly string[],
  asxCode: string,
): Promise<string[]> =>
  withSnapshot(url, async (sql) => {
    const [facts = {}] = await sql.unsafe(linkFacts, [arrayLiteral(holderKeys), asxCode])
    const known = Object.entries(facts).filter(([, text]) => text !== null)
    return known.map(([label, text]) => `  ${label}: ${text}`)
  })

/** The most frequent texts of a query, with how many rows have them. */
const frequent = (text: string, from: string): string => `(
  select string_agg(text || ' ' || count, '; ' order by count desc, text) from (
    select ${text} as text, count(*) from ${from} group by 1 order by 2 desc, 1 limit 5) counted)`

const linkFacts = `
  with held as materialized (select * from tenements where holder_keys && $1::text[])
  select ${frequent("concat_ws(' ', state, status, type)", "held")} as holds,
    ${frequent("holder_name", "held where cardinality(holder_keys) > 1")} as beside,
    concat_ws(', ', c.asx_code, c.company_name, case when not is_active then 'not listed' end,
      c.gics_industry_group, to_char(c.market_cap_aud, '"A$"FM999,999,999,999,999'),
      c.total_tenements || ' linked tenements') as company,
    (select string_agg(name, '; ') from former_names where asx_code = $2) as formerly,
    (select string_agg(name, '; ') from (
      select distinct name from (${ownedNames}) owned where asx_code = $2 order by 1 limit 5) s) as owns
  from companies c where c.asx_code = $2`
