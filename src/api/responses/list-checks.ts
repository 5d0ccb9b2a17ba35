/** Chooses the format of a list, and rejects parameters that it lacks and contradictory ones. */
import type { Fault } from "../http/api-error.ts"
import {
  alternativesText,
  delimitedFormats,
  exportFormats,
  type Format,
  representations,
} from "../http/formats.ts"
import type { CrossCheck, ParameterValues } from "../http/parameters.ts"
import { paging } from "./endpoint.ts"

/**
 * The format of a response without `format`: the first accepted one that has pages or, for a whole list, any.
 * @param accepted those that the endpoint offers
 */
export const formatByAccept = (accepted: readonly Format[], all: boolean): Format =>
  accepted.find((format) => all || representations[format].parts !== "whole") ?? "json"

export const checkCombinations =
  (offered: readonly Format[], accepted: readonly Format[]): CrossCheck =>
  (values, sent) => {
    const faults = formatFaults(values, sent, offered, accepted)
    const { updated_since, removed_since } = values
    if (updated_since === undefined || removed_since === undefined) return faults
    const message = "Must not be given together with updated_since"
    return [...faults, { parameter: "removed_since", message }]
  }

/** Rejects parameters that the format lacks, and contradictory ones. */
function formatFaults(
  { all, format: sentFormat }: ParameterValues,
  sent: ReadonlySet<string>,
  offered: readonly Format[],
  accepted: readonly Format[],
): Fault[] {
  const format =
    offered.find((each) => each === sentFormat) ?? formatByAccept(accepted, all === true)
  const faultsOf = (message: string, names: readonly string[], allowed?: readonly string[]) =>
    names
      .filter((name) => sent.has(name))
      .map((parameter): Fault => ({ parameter, message, ...(allowed && { allowed }) }))
  const paged = Object.keys(paging)
  const { parts, isDelimited } = representations[format]
  const needs = (allowed: readonly Format[], ...names: readonly string[]) =>
    faultsOf(`Needs format ${alternativesText(allowed)}`, names, allowed)
  return [
    ...(all && format === "json" ? needs(exportFormats(offered), "all") : []),
    ...(isDelimited ? [] : needs(delimitedFormats, "bom", "formula_guard")),
    ...(parts === "whole" && !all ? faultsOf(`${format} needs all=true`, ["format"]) : []),
    ...(format === "atom"
      ? faultsOf(`Must not be given with ${feedOf(sentFormat)}`, [...paged, "all", "fields"])
      : faultsOf("Must not be given together with all=true", all ? paged : [])),
  ]
}

/** The part of the request that asks for a feed, and its cure where that may not be deliberate. */
const feedOf = (sentFormat: unknown): string =>
  sentFormat === undefined
    ? "Accept: application/atom+xml; add format=json for the list"
    : "format=atom"
