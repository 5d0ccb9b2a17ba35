/** Serves a record: resolves the release, returns the cached response or 304, reads, represents. */
import type { Reader } from "../db/reader/reader.ts"
import type { Release } from "../db/reader/releases.ts"
import { ApiError } from "../http/api-error.ts"
import { codedBody } from "../http/content-coding.ts"
import { readParameters } from "../http/parameters.ts"
import { canonicalQuery, queryText } from "../http/query-string.ts"
import { complete, pick, type Readable, type ResourceRecord } from "../resources/resource.ts"
import { step } from "../telemetry/steps.ts"
import { digest } from "../text/digest.ts"
import type { Asked } from "./asked.ts"
import type { ReleaseResolver } from "./at-release.ts"
import type { CachedAnswers } from "./cached-answers.ts"
import type { RecordEndpoint } from "./endpoint.ts"
import { asOf, recordKey } from "./list-endpoint.ts"
import {
  cacheStatus,
  contentOf,
  isKnown,
  notModified,
  represent,
  validatorsOf,
} from "./represent.ts"

export interface RecordOptions {
  resolver: Pick<ReleaseResolver, "resolve" | "keyAt">
  reader: Pick<Reader, "find">
  cachedAnswers: CachedAnswers
}

export interface RecordAt {
  record: ResourceRecord
  release: Release
}

export type RecordAnswers = ReturnType<typeof createRecordAnswers>

/**
 * `key` is the key of the record in the path.
 * @throws ApiError INVALID_PARAMETER, NOT_FOUND; Unavailable; ReleaseUnavailable
 */
export function createRecordAnswers({ resolver, reader, cachedAnswers }: RecordOptions) {
  const { resolve, keyAt } = resolver

  async function find(release: Release, account: number, resource: Readable, inPath: string) {
    const key = await keyAt(resource, recordKey(resource, inPath), release.id, account)
    const record = await step("read", () => reader.find(resource, key, { release, account }))
    if (!record) throw new ApiError("NOT_FOUND")
    return record
  }

  return {
    answer: async (asked: Asked, { resource, parameters }: RecordEndpoint, key: string) => {
      const { path, query } = asked.target
      const { account, request } = asked
      const values = readParameters(query, parameters)
      const id = digest(`${path}?${queryText(canonicalQuery(values, parameters))}`)
      const release = await resolve(values.as_of, account)
      const cached = cachedAnswers.get(release, id)
      if (cached) return represent(asked, cached, cacheStatus.hit)
      const validators = validatorsOf(release, id, "json")
      if (isKnown(request, validators)) return notModified(asked, validators, cacheStatus.miss)
      const { fields } = values
      const record = await find(release, account, fields ? complete(resource) : resource, key)
      const body = JSON.stringify({ data: fields ? pick(record, fields) : record })
      const make = () => step("represent", () => contentOf(validators, "json", {}, codedBody(body)))
      return represent(asked, cachedAnswers.share(release, id, make), cacheStatus.miss)
    },

    /** @param query of the request: `as_of`, or nothing */
    read: async (
      account: number,
      resource: Readable,
      key: string,
      query: string,
    ): Promise<RecordAt> => {
      const release = await resolve(readParameters(query, asOf).as_of, account)
      return { record: await find(release, account, resource, key), release }
    },
  }
}
