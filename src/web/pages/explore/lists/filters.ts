/** The filters that several lists have, as fields of their forms. */
import { stateNames } from "../../kit/format.ts"
import type { FilterField } from "./list-view.ts"

export const quoted = (words: string) => (value: string) => `${words} “${value}”`

export const state: FilterField = {
  name: "state",
  label: "State",
  words: (value) => `in ${stateNames[value] ?? value}`,
}

export const valueFilter = (label: string, words: string): FilterField => ({
  name: label.toLowerCase(),
  label,
  words: quoted(words),
})

export const statusFilter = valueFilter("Status", "with the status")
export const type = valueFilter("Type", "of the type")

/** Two filters for the days of a period: `granted_from` and `granted_to`. */
export function period(name: string, label: string): readonly FilterField[] {
  const words = label.toLowerCase()
  return [
    {
      name: `${name}_from`,
      label: `${label} from`,
      type: "date",
      isFurther: true,
      words: (value) => `${words} from ${value}`,
    },
    {
      name: `${name}_to`,
      label: `${label} until`,
      type: "date",
      isFurther: true,
      words: (value, given) => (given(`${name}_from`) ? `to ${value}` : `${words} by ${value}`),
    },
  ]
}
