import { companies } from "../../../resources/companies.ts"
import type { ResourceRecord } from "../../../resources/resource.ts"
import { companyList } from "../../../routes/companies.ts"
import { normaliseName } from "../../../text/company-name.ts"
import type { Explorer, Visit } from "../explorer.ts"
import { atRelease, type FoundRecord, fieldText } from "./record-page.ts"

/** `search` takes 200 characters, each of which may be two units here. */
const searchedLength = 100
const searchedRows = 100

/**
 * The code that has the tenements of a company without any, if its name is listed under several: of
 * these only the ordinary share's has them.
 */
export async function listingWithTenements(
  explorer: Explorer,
  visit: Visit,
  { record, release }: Pick<FoundRecord, "record" | "release">,
): Promise<string | undefined> {
  const name = fieldText(record, "company_name")
  const key = normaliseName(name)
  if (key === "") return undefined
  const search = encodeURIComponent([...name].slice(0, searchedLength).join(""))
  // The tenements of a listed company are never those of a code that is listed no longer.
  const states = record.is_active ? ["true"] : ["true", "false"]
  const pages = await Promise.all(
    states.map((active) =>
      explorer.ask.page(
        visit,
        { endpoint: companyList, parent: "" },
        {
          path: `/api/v1/${companies.name}`,
          query: `search=${search}&active=${active}&per_page=${searchedRows}&${atRelease(release)}`,
        },
      ),
    ),
  )
  const isOwner = (other: ResourceRecord) =>
    Number(other.total_tenements) > 0 && normaliseName(fieldText(other, "company_name")) === key
  const owner = pages.flatMap(({ records }) => records).find(isOwner)
  return owner && fieldText(owner, "asx_code")
}
