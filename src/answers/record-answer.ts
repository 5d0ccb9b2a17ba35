import { ApiError } from "../http/api-error.ts"
import { canonicalQuery, queryText } from "../http/canonical-query.ts"
import { readParameters } from "../http/parameters.ts"
import type { Readable } from "../resources/resource.ts"
import type { AnswerOptions } from "./answer-options.ts"
import { asOf } from "./list-endpoint.ts"
import { recordKey } from "./record-key.ts"
import { dataHeaders, isKnown, notModified, respond } from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"
import { createReleaseResolver } from "./resolve-release.ts"

/** @param key the record's key, from the path */
export type AnswerRecord = (
  context: RequestContext,
  resource: Readable,
  key: string,
) => Promise<Response>

/** The response with one record: parse, resolve the release, answer 304, read, represent. */
export function createRecordAnswer({ releases, reader, now }: AnswerOptions): AnswerRecord {
  const resolver = createReleaseResolver(releases, now)

  return async (context, resource, key) => {
    const { request, path, query } = context
    const values = readParameters(query, asOf)
    const account = accountOf(context)
    const release = await resolver.resolve(values.as_of, account)
    const canonical = canonicalQuery(values, asOf)
    const headers = dataHeaders(release, `${path}?${queryText(canonical)}`, "json")
    if (isKnown(request, headers)) return notModified(headers)
    const record = await reader.find(resource, recordKey(resource, key), { release, account })
    if (!record) throw new ApiError("NOT_FOUND")
    return respond(request, headers, JSON.stringify({ data: record }))
  }
}
