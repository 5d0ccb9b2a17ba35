/** The unlinked holders that may belong to a company, with the reason for each. */
import type { SuggestedHolder } from "../../../../data/reader/links.ts"
import { type TableColumn, tableSection } from "../../kit/components.ts"
import { number } from "../../kit/format.ts"
import { type Content, html } from "../../kit/html.ts"
import { toHolder } from "../lists/cells.ts"
import type { RecordLinks } from "../lists/list-view.ts"

/** By the reasons of `loading/suggestions.ts` and the bases of links. */
const words: Readonly<Record<string, (similar: string) => string>> = {
  name: () => "The holder has the company’s name",
  subsidiary: () => "A loaded list names the holder as a subsidiary",
  confirmed: () => "An operator confirmed the link",
  declared: () => "The company declares some of its tenements as its own",
  "known group": () => "Known group (list of the service)",
  "former name": () => "A former name of the company",
  "place in brackets": (similar) => `Equals ${similar} except for the words in brackets`,
  "another ending": (similar) => `Equals ${similar} except for its ending`,
}

/** Null without suggestions. */
export function probableSubsidiaries(
  holders: readonly SuggestedHolder[],
  links: RecordLinks,
): Content {
  const columns: readonly TableColumn<SuggestedHolder>[] = [
    { head: "Holder", cell: ({ name }) => toHolder(name, links), wide: true },
    { head: "Tenements not counted yet", number: true, cell: ({ tenements }) => number(tenements) },
    { head: "Why", wide: true, cell: reasonWords },
  ]
  return tableSection("Probable subsidiaries", columns, holders, lead)
}

/** Behind the number of linked tenements: `, 65 not counted yet`. */
export const notCountedRemark = ([first]: readonly SuggestedHolder[]): string =>
  first ? `, ${number(first.added)} not counted yet` : ""

const lead = html`<p class="muted">These holders probably belong to the company.
<a href="/docs/guide/holders">Ask your administrator to confirm</a>.</p>
`

export const reasonWords = ({
  reason,
  similarName,
}: Pick<SuggestedHolder, "reason" | "similarName">): string =>
  words[reason]?.(similarName) ?? reason
