/**
 * The records of every example in the description: one of each resource, with the examples of its fields as
 * values. The records are fictitious. A test publishes exactly these and compares each example with the
 * response of the service.
 */

import { type Release, releaseKey } from "../../data/reader/releases.ts"
import { releases } from "../../data/resources/releases.ts"
import { fieldNames, type Readable, type ResourceRecord } from "../../data/resources/resource.ts"
import { digest } from "../../system/text/digest.ts"
import { hourMs, secondOf } from "../../system/text/time.ts"
import { entityTag } from "../http/entity-tag.ts"

export const exampleRecord = (resource: Readable): ResourceRecord =>
  Object.fromEntries(
    fieldNames(resource, "always").map((name) => [
      name,
      resource.fields[name]?.schema.examples?.[0] ?? null,
    ]),
  )

/** The key in the path of a resource's examples. */
export const exampleKey = (resource: Readable): string =>
  String(resource.keyInPath?.examples?.[0] ?? exampleRecord(resource)[resource.key])

const { id, published_at } = exampleRecord(releases)

/** The release that the examples show. */
export const exampleRelease: Release = {
  id: Number(id),
  publishedAt: Date.parse(String(published_at)) / 1000,
  identity: "6f1c1f3e-52a7-4f0b-9b8e-2d9a64b0c7f1",
}

/** The entity tag of the list of companies at that release. */
export const exampleTag = entityTag(
  releaseKey(exampleRelease),
  `${digest("json /api/v1/companies?")} 1`,
)

/** The time of the example requests, from an account without earlier requests. */
export const exampleNow = new Date("2026-02-16T09:30:00Z")

export const exampleUsage = {
  plan: "standard",
  limit: 1_000,
  used: 0,
  remaining: 1_000,
  reset_at: Date.parse("2026-02-16T10:30:00Z") / 1000,
  requests_per_hour: Array.from({ length: 24 }, (_, index) => ({
    hour: hourBefore(23 - index),
    requests: 0,
  })),
}

function hourBefore(hours: number): string {
  const startMs = Math.floor(exampleNow.getTime() / hourMs) * hourMs - hours * hourMs
  return secondOf(new Date(startMs))
}
