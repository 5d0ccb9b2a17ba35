/** The kinds of change of a list: of one field, or of fields that belong together. Each is a link that chooses it. */
import { kindsOfChange } from "../../../data/resources/explained.ts"
import { number } from "../kit/format.ts"
import { attributes, type Html, html } from "../kit/html.ts"
import { addressWith, type RequestedList, sentValue } from "./lists/list-address.ts"
import type { ListView } from "./lists/list-view.ts"
import { labelsOf } from "./records/history.ts"

interface Kind {
  label: string
  /** Values of `changed`. */
  names: readonly string[]
  count: number
}

/** The values of `changed` on a page of changes: those of the API, and those that choose the page's other parts. */
export const namesOfChanges = ({ endpoint }: ListView): string[] => [
  ...kindsOfChange(endpoint.resource),
  "removed",
  "missing",
]

/** The fields that decisions on links change. */
const ofLinks = ["asx_codes", "total_tenements"]

/** All but those that decisions on links make. */
export const changesOfRegister = (view: ListView): string[] =>
  namesOfChanges(view).filter((name) => !ofLinks.includes(name))

const ownLabels = {
  ...{ added: "Added", removed: "Removed", missing: "Missing" },
  ...{ expiry_date: "Expiry", grant_date: "Grant", asx_codes: "Companies" },
}
const shape = ["geometry", "latitude", "longitude"].map((name) => [name, "Shape"] as const)

/** The label of the kind of each change. */
export function kindLabels(view: ListView): (name: string) => string {
  const labels = new Map([...labelsOf(view), ...Object.entries(ownLabels), ...shape])
  // Without the unit.
  return (name) => labels.get(name)?.split(",")[0] ?? "Other"
}

/**
 * @param counts the number of records, by the name of a change
 * @param totalOf counts the records that changed in at least one of these ways
 */
export const countedKinds = (
  view: ListView,
  counts: ReadonlyMap<string | null, number>,
  totalOf: (names: readonly string[]) => Promise<number>,
): Promise<Kind[]> =>
  Promise.all(
    [...Map.groupBy(namesOfChanges(view), kindLabels(view))].map(async ([label, names]) => {
      const [first = 0, second] = names.flatMap((name) => counts.get(name) || [])
      // A record that changed in two ways counts once.
      return { label, names, count: second ? await totalOf(names) : first }
    }),
  )

/** @param chosen the names of the chosen changes; undefined for all */
export function kindChips(list: RequestedList, kinds: readonly Kind[], chosen?: readonly string[]) {
  const isSent = sentValue(list, "changed") !== undefined
  const isChosen = ({ names }: Kind) => names.some((name) => chosen?.includes(name))
  const shown = kinds.filter((kind) => kind.count > 0 || (isSent && isChosen(kind)))
  const chip = (kind: Kind): Html => {
    const toggled = shown.filter((each) => isChosen(each) !== (each === kind))
    const changed = toggled.flatMap(({ names }) => names).join() || null
    const current = isChosen(kind) && "true"
    const href = addressWith(list, { changed })
    const mark = current && html`<span aria-hidden="true"> ×</span>`
    return html`<li><a ${attributes({ class: "chip", href, "aria-current": current })}>${kind.label} ${number(kind.count)}${mark}</a></li>`
  }
  const reset = addressWith(list, { changed: null })
  return html`<ul class="page-sizes" aria-label="Kinds of change">${shown.map(chip)}
${isSent && html`<li><a class="chip" href="${reset}">Reset</a></li>`}</ul>`
}
