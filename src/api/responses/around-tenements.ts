/**
 * Lists around a tenement (`near=ID,km`). The shape from which such a list measures is that at the release shown,
 * so it is read with the list and is no part of a question, which has no release.
 */
import { LRUCache } from "lru-cache"
import { type AccountId, createTurns } from "../../data/db/pool/turns.ts"
import type { ChunkOptions } from "../../data/reader/export-reader.ts"
import type { FacetOptions } from "../../data/reader/facets.ts"
import type { PageBounds } from "../../data/reader/list-reader.ts"
import type { Reader } from "../../data/reader/reader.ts"
import type { ReadOptions } from "../../data/reader/reads.ts"
import { releaseKey } from "../../data/reader/releases.ts"
import type { List } from "../../data/reader/statements.ts"
import { AroundTenement } from "../../data/resources/around-tenement.ts"
import { withKeys } from "../../data/resources/conditions.ts"
import { tenements } from "../../data/resources/tenements.ts"
import { type ApiError, invalidParameters } from "../http/api-error.ts"
import { listEndpoint } from "./endpoint.ts"
import { askList } from "./question.ts"

/** A page of the explorer reads its list some eight times. */
const mostAreas = 8

const invalid = (parameter: string, message: string): ApiError =>
  invalidParameters([{ parameter, message }])

type AreaAt = NonNullable<Awaited<ReturnType<AroundTenement["areaAt"]>>>

const tenementsByKey = listEndpoint({ path: "/tenements", resource: withKeys(tenements) })

export type AreaReader = ReturnType<typeof withAreas>

/** The same reader for lists around tenements too. Its methods also throw ApiError INVALID_PARAMETER. */
export function withAreas(reader: Reader) {
  const areas = new LRUCache<string, Promise<AreaAt>>({ max: mostAreas })
  const turns = createTurns({ places: 1, queuePerAccount: () => 1_000 })

  /**
   * An area takes up to half a second, in which the process does nothing else. So accounts take turns, and after
   * each area as much time is left to other requests, and to the probe of the database, which has one second.
   * @throws Overloaded
   */
  async function computeArea(around: AroundTenement, geometry: string, account: AccountId) {
    const free = await turns.take(account)
    const begunMs = performance.now()
    try {
      return await around.areaAt(geometry)
    } finally {
      setTimeout(free, performance.now() - begunMs)
    }
  }

  async function readArea(around: AroundTenement, options: ReadOptions): Promise<AreaAt> {
    const { id } = around
    const found = await reader.find(tenements, "all with shapes", id, options)
    if (!found)
      throw invalid("near", `No tenement has the id ${id} at release ${options.release.id}`)
    if (found.geometry === null) throw invalid("near", `The shape of ${id} is not known`)
    const area = await computeArea(around, String(found.geometry), options.account)
    if (area) return area
    throw invalid(
      "near",
      `The shape of ${id} cannot be measured from at this distance. Use latitude,longitude,km`,
    )
  }

  function areaOf(around: AroundTenement, options: ReadOptions): Promise<AreaAt> {
    const key = `${releaseKey(options.release)} ${around.km} ${around.id}`
    const known = areas.get(key) ?? readArea(around, options)
    areas.set(key, known)
    known.catch(() => areas.delete(key))
    return known
  }

  /** Whether the tenement had another shape, or none, at the earlier point. */
  async function hasMoved(id: string, options: ReadOptions): Promise<boolean> {
    const changed = ["added", "geometry"]
    const { list } = askList(tenementsByKey, { keys: id, updated_since: "1", changed })
    return (await reader.total(list, options)) !== 0
  }

  async function located(list: List, options: ReadOptions): Promise<List> {
    const { near } = list.bound
    if (!(near instanceof AroundTenement)) return list
    const { bound } = await areaOf(near, options)
    if (options.since !== undefined && (await hasMoved(near.id, options))) {
      const parameter = list.since === "removed" ? "removed_since" : "updated_since"
      throw invalid(
        parameter,
        `The shape of ${near.id} has changed since release ${options.since}, so changes around it are unknown. Read the whole list`,
      )
    }
    return { ...list, bound: { ...list.bound, near: bound } }
  }

  return {
    ...reader,
    /** The rings that a map draws, as JSON; null for a list that is not around a tenement. */
    areaAround: async ({ bound: { near } }: List, options: ReadOptions) =>
      near instanceof AroundTenement ? (await areaOf(near, options)).drawn : null,
    total: async (list: List, options: ReadOptions) =>
      reader.total(await located(list, options), options),
    page: async (list: List, bounds: PageBounds, options: ReadOptions) =>
      reader.page(await located(list, options), bounds, options),
    first: async (list: List, limit: number, options: ReadOptions) =>
      reader.first(await located(list, options), limit, options),
    facet: async (list: List, filter: string, options: FacetOptions) =>
      reader.facet(await located(list, options), filter, options),
    chunks: async (list: List, options: ChunkOptions) =>
      reader.chunks(await located(list, options), options),
  }
}
