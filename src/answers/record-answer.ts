import { ApiError } from "../http/api-error.ts"
import { canonicalQuery, queryText } from "../http/canonical-query.ts"
import { readParameters } from "../http/parameters.ts"
import { pointInTime } from "../http/point-in-time.ts"
import type { Readable } from "../resources/resource.ts"
import { step } from "../telemetry/steps.ts"
import { digest } from "../text/digest.ts"
import type { AnswerOptions } from "./answer-options.ts"
import { asOf } from "./list-endpoint.ts"
import { recordKey } from "./record-key.ts"
import {
  answerOf,
  apiResponseHeaders,
  cacheStatus,
  dataHeaders,
  isKnown,
  notModified,
  respond,
} from "./representation.ts"
import { accountOf, type RequestContext } from "./request-context.ts"
import { answerOnceMore, createReleaseResolver } from "./resolve-release.ts"

/** @param key the record's key, from the path */
export type AnswerRecord = (
  context: RequestContext,
  resource: Readable,
  key: string,
) => Promise<Response>

/** The response with one record: parse, resolve the release, answer 304, read, represent. */
export function createRecordAnswer({
  releases,
  reader,
  cachedAnswers,
  now,
}: Pick<AnswerOptions, "releases" | "reader" | "cachedAnswers" | "now">): AnswerRecord {
  const resolver = createReleaseResolver(releases, now)

  return async (context, resource, key) => {
    const { request, path, query } = context
    const values = readParameters(query, asOf)
    const account = accountOf(context)
    const target = `${path}?${queryText(canonicalQuery(values, asOf))}`
    const id = digest(target)
    const resolve = () => resolver.resolve(pointInTime(values.as_of), account)
    const resolved = await resolve()
    const cached = cachedAnswers.get(resolved, id)
    if (cached) return respond(request, cached, cacheStatus.hit)
    return answerOnceMore(resolved, resolve, async (release) => {
      const headers = dataHeaders(release, target, "json")
      if (isKnown(request, headers.ETag))
        return notModified(apiResponseHeaders(headers), cacheStatus.miss)
      const found = { release, account }
      const record = await step("read", () =>
        reader.find(resource, recordKey(resource, key), found),
      )
      if (!record) throw new ApiError("NOT_FOUND")
      const answer = step("represent", () => answerOf(headers, JSON.stringify({ data: record })))
      cachedAnswers.set(release, id, answer)
      return respond(request, answer, cacheStatus.miss)
    })
  }
}
