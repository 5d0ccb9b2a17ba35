/** The form above a list, whose fields are the parameters of the API. */

import type { Fault } from "../../../../api/http/api-error.ts"
import { pathWith } from "../../../../api/responses/endpoint.ts"
import { fold } from "../../../../system/text/fold.ts"
import { type Choice, formField, hidden } from "../../kit/components.ts"
import { attributes, type Html, html } from "../../kit/html.ts"
import type { Facets, Values } from "../visit.ts"
import { choicesOf } from "./counted-values.ts"
import { pageParameters, type RequestedList, sentValue } from "./list-address.ts"
import type { FilterField } from "./list-view.ts"

/** @param facets the values of each filter among the records that match the other filters */
export function filterForm(
  list: RequestedList,
  facets: Facets,
  faults: readonly Fault[] = [],
): Html {
  const { view, code } = list
  const faultOf = (name: string) => faults.find(({ parameter }) => parameter === name)?.message
  const kept = ["sort", "order", "per_page", "fields"].map((name) => {
    const value = sentValue(list, name)
    return value !== undefined && hidden(name, value)
  })
  const shown = (filters: readonly FilterField[]) =>
    filters.map((filter) =>
      filterField(filter, list, facets[filter.name] ?? null, faultOf(filter.name)),
    )
  const { first = [], further = [] } = Object.groupBy(view.filters, ({ isFurther }) =>
    isFurther ? "further" : "first",
  )
  // The sentence above the records has the filters that are set: on a phone, open fields would fill a screen.
  const isOpen = [...further.map(({ name }) => name), "as_of"].some(faultOf)
  return html`<form class="panel" id="filters" method="get" action="/explore${pathWith(view.path, code)}" role="search">
<div class="filters">
${shown(first)}
<div class="apply"><button class="primary">Apply</button></div>
</div>
<details ${attributes({ class: "further", open: isOpen })}><summary>More filters</summary><div class="filters">
${shown(further)}
${formField({
  name: "as_of",
  label: "As of",
  fault: faultOf("as_of"),
  value: sentValue(list, "as_of"),
  input: {
    placeholder: "now",
    autocomplete: "off",
    title: "A release number, or a date as 2026-01-31",
  },
})}
</div></details>
${kept}</form>`
}

/** A longer list of choices gets a search field. */
const mostOptions = 20

function filterField(
  { name, label, type, wide, choices: declared, suggested, isHidden }: FilterField,
  list: RequestedList,
  values: Values,
  fault: string | undefined,
): Html {
  if (isHidden) return hidden(name, sentValue(list, name) ?? "")
  const choices = declared ?? choicesOf(values, list.view.endpoint.counts)
  if (declared || (values && values.length <= mostOptions)) {
    return formField({ name, label, fault, ...choiceOf(choices, list, name) })
  }
  const input = {
    type: type ?? (wide ? "search" : "text"),
    autocomplete: "off",
    spellcheck: "false",
    maxlength: type ? null : 200,
  }
  const control = formField({
    name,
    label,
    fault,
    value: sentValue(list, name),
    input,
    suggested: suggested ?? choices,
  })
  return wide ? html`<div class="wide">${control}</div>` : control
}

/**
 * The choices include the current value, even if no record has it, and "Any", unless the API has a default.
 * The API ignores the case of values.
 */
function choiceOf(choices: readonly Choice[], list: RequestedList, name: string) {
  const sent = sentValue(list, name)
  const known = choices.find(({ value }) => sent !== undefined && fold(value) === fold(sent))
  const missing = sent === undefined || known ? [] : [{ value: sent, label: sent }]
  const byDefault = pageParameters(list.view)[name]?.default
  const any = byDefault === undefined ? [{ value: "", label: "Any" }] : []
  return { value: known?.value ?? sent, choices: [...any, ...missing, ...choices] }
}
