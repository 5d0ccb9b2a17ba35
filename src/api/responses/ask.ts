/**
 * Makes the question of a client's query: parses the parameters, chooses the format of a list, and rejects
 * parameters that the format lacks and contradictory ones.
 */
import { type CacheSizes, createCache } from "../../data/db/cache.ts"
import { countedFilters } from "../../data/resources/facets.ts"
import { digest } from "../../system/text/digest.ts"
import { ApiError, type Fault } from "../http/api-error.ts"
import {
  alternativesText,
  delimitedFormats,
  exportFormats,
  type Format,
  representations,
} from "../http/formats.ts"
import { type CrossCheck, cacheBuster, readParameters } from "../http/parameters.ts"
import { queryText } from "../http/query-string.ts"
import type { Sent } from "./data-request.ts"
import { type DataEndpoint, type ListEndpoint, paging } from "./endpoint.ts"
import { askList, askRecord, type ListQuestion, namesChanged, type Question } from "./question.ts"

/** The format of a response without `format`: the first accepted one that has pages or, for a whole list, any. */
const formatByAccept = (accepted: readonly Format[], all: boolean): Format =>
  accepted.find((format) => all || representations[format].parts !== "whole") ?? "json"

/** Rejects parameters that the format lacks, and contradictory ones. */
export const checkCombinations =
  (offered: readonly Format[], accepted: readonly Format[]): CrossCheck =>
  ({ all, format: sentFormat, updated_since, removed_since, fields }, sent) => {
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
      ...(updated_since !== undefined && removed_since !== undefined
        ? faultsOf("Must not be given together with updated_since", ["removed_since"])
        : []),
      ...(updated_since === undefined ? faultsOf("Needs updated_since", ["changed"]) : []),
      ...(updated_since === undefined && namesChanged({ fields })
        ? faultsOf("changed needs updated_since", ["fields"])
        : []),
    ]
  }

/** The part of the request that asks for a feed, and its cure where that may not be deliberate. */
const feedOf = (sentFormat: unknown): string =>
  sentFormat === undefined
    ? "Accept: application/atom+xml; add format=json for the list"
    : "format=atom"

/**
 * Asks for a list as a client sent it.
 * @param key the key in its path; empty without one
 * @throws ApiError INVALID_PARAMETER; NOT_FOUND for a key that no record can have
 */
export function askSentList(endpoint: ListEndpoint, { query, accepted }: Sent, key = "") {
  const { counts, formats, parameters } = endpoint
  if (counts && !countedFilters(counts).includes(key)) throw new ApiError("NOT_FOUND")
  const acceptable = accepted.filter((format) => formats.includes(format))
  const sent = readParameters(query, parameters, checkCombinations(formats, acceptable))
  const format = formatByAccept(acceptable, sent.all === true)
  return askList(endpoint, { format, ...sent }, key, { sent, cacheBuster: cacheBuster(query) })
}

/** The memory of a question without its texts. */
const questionBytes = 1_500

/** A question repeats the text of its query in links and bound values. */
const bytesOf = ({ path, canonical }: ListQuestion): number =>
  questionBytes + 6 * (path.length + queryText(canonical).length)

/** Asks what a client sent. @throws as `askSentList` */
export type Ask = (endpoint: DataEndpoint, sent: Sent, key: string) => Question

/**
 * Caches the questions for lists: a question depends only on the endpoint, its key, the query and the accepted
 * formats. The key is a digest, because a query may contain a token. A question for a record takes as long to
 * make as to find.
 */
export function createAsk(sizes: Pick<CacheSizes, "questions">): Ask {
  const questions = createCache<ListQuestion>(sizes.questions, bytesOf)

  return (endpoint, sent, key) => {
    const { query, accepted } = sent
    if (endpoint.kind === "record") {
      // Programs that follow links send no query: this is the hottest request.
      return askRecord(
        endpoint,
        query === "" ? {} : readParameters(query, endpoint.parameters),
        key,
      )
    }
    // Neither a format nor a query can have a line break, so only the key may.
    const id = digest(`${accepted}\n${endpoint.path}?${query}\n${key}`)
    const cached = questions.get(id)
    if (cached) return cached
    const question = askSentList(endpoint, sent, key)
    questions.set(id, question)
    return question
  }
}
