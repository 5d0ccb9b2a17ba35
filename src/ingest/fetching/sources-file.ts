/**
 * The operator's file of addresses: where the files of each source are, and how to fetch them. It has no
 * secrets: a header names the environment variable with its value.
 */

import {
  FormatRegistry,
  type Static,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { systemNamed } from "../../data/places/reference-system.ts"
import { codeOf } from "../../system/text/error-code.ts"
import { isObject } from "../../system/text/parsed-json.ts"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { sourceNamed } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { mayBePublic } from "./public-address.ts"

/** Whether a text is an address to fetch. It must not have a user or password. */
export function isAddress(text: string): boolean {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && !url.username && !url.password
}

FormatRegistry.Set("fetch-address", isAddress)
FormatRegistry.Set("reference-system", (name) => systemNamed(name) !== undefined)
const text = Type.String({ minLength: 1 })
const addressFault = "must be an http or https address without user and password"
const address = Type.String({ format: "fetch-address", fault: addressFault })
const systemFault = "must be a known coordinate reference system, such as EPSG:28355"
const strict = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

const common = {
  /** The least hours between two fetches. */
  every: Type.Optional(Type.Number({ minimum: 0, maximum: 8_760 })),
  /** The address for the public. The database rejects a query too, because secrets are mostly there. */
  public_address: Type.Optional(
    Type.String({
      format: "fetch-address",
      pattern: "^[^?#]*$",
      fault: `${addressFault}, query and fragment`,
    }),
  ),
  licence: Type.Optional(text),
  attribution: Type.Optional(text),
  /** By header, the environment variable with its value. */
  headers: Type.Optional(Type.Record(Type.String({ pattern: "^[A-Za-z0-9-]+$" }), text)),
  /** The files add and change records only. */
  partial: Type.Optional(Type.Boolean()),
  all_sectors: Type.Optional(Type.Boolean()),
  crs: Type.Optional(Type.String({ format: "reference-system", fault: systemFault })),
  without_shapes: Type.Optional(Type.Boolean()),
}
/** Several addresses together are the source's complete set. */
const oneOrMore = Type.Union([address, Type.Array(address, { minItems: 1, uniqueItems: true })], {
  fault: `${addressFault}, or a list of such`,
})
const pageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 }))

/** By kind, the names in its entries. */
export const kinds = {
  file: strict({
    kind: Type.Literal("file"),
    url: oneOrMore,
    ...common,
  }),
  arcgis: strict({
    kind: Type.Literal("arcgis"),
    /** Of layers: each ends in the layer's number. */
    url: oneOrMore,
    /** A condition on the records; all by default. */
    where: Type.Optional(text),
    page_size: pageSize,
    ...common,
  }),
  wfs: strict({
    kind: Type.Literal("wfs"),
    /** Of the service. */
    url: address,
    type_name: text,
    /** An attribute that no two features share, or several with commas. */
    sort_by: text,
    page_size: pageSize,
    ...common,
  }),
} as const satisfies Record<string, TSchema>

export type ArcgisEntry = Static<typeof kinds.arcgis>
export type WfsEntry = Static<typeof kinds.wfs>
export type SourceEntry = Static<(typeof kinds)[keyof typeof kinds]>

export interface Fetchable {
  source: Source
  entry: SourceEntry
}

/** @throws LoadError that names the file and each of its faults with its place */
export async function readSourcesFile(path: string): Promise<Fetchable[]> {
  const content = await Bun.file(path)
    .text()
    .catch((error: unknown) => {
      const hint =
        codeOf(error) === "ENOENT"
          ? '. List the sources to fetch in it: the guide\'s page "Fetch daily" has an example'
          : ""
      throw new LoadError(`Cannot read ${path}: ${reasonOf(error)}${hint}`)
    })
  return parseSourcesFile(content, path)
}

/** @throws LoadError */
export function parseSourcesFile(content: string, path: string): Fetchable[] {
  const fetchables: Fetchable[] = []
  const faults: string[] = []
  for (const [name, entry] of Object.entries(objectOf(content, path))) {
    const source = sourceNamed(name)
    const schema = Object.values(kinds).find(
      ({ properties }) => isObject(entry) && entry.kind === properties.kind.const,
    )
    if (typeof source === "string") faults.push(`${name}: ${source}`)
    if (!schema) faults.push(`${name}.kind: must be "file", "arcgis" or "wfs"`)
    else if (!Value.Check(schema, entry)) faults.push(...faultsOf(schema, entry, name))
    else if (typeof source !== "string") fetchables.push({ source, entry })
  }
  if (faults.length > 0) throw new LoadError(`Cannot use ${path}:\n${faults.join("\n")}`)
  return fetchables
}

function objectOf(content: string, path: string): object {
  try {
    const value: unknown = JSON.parse(content)
    if (isObject(value)) return value
  } catch (error) {
    throw new LoadError(`Cannot use ${path}: it is not valid JSON (${reasonOf(error)})`)
  }
  throw new LoadError(`Cannot use ${path}: it must be an object with a source in each name`)
}

/** At most one fault of each field of an entry, each with the path of the field: `wa.headers.Accept`. */
function faultsOf(schema: TSchema, entry: unknown, name: string): string[] {
  const faults = new Map<string, string>()
  for (const { path, message, schema: found } of Value.Errors(schema, entry)) {
    const place = path.slice(1).replaceAll("/", ".")
    if (!faults.has(place)) faults.set(place, found.fault ?? message)
  }
  return [...faults].map(([place, message]) => `${name}.${place}: ${message}`)
}

export const urlsOf = ({ url }: SourceEntry): string[] => (typeof url === "string" ? [url] : url)

/**
 * The address for the public: the operator's, else scheme, host and port, because the rest of an address may
 * have a secret. Null where the files have several hosts, or theirs is not public.
 */
export function publicAddress(entry: SourceEntry): string | null {
  if (entry.public_address !== undefined) return new URL(entry.public_address).href
  const [origin = "", ...others] = new Set(urlsOf(entry).map((url) => new URL(url).origin))
  return others.length === 0 && mayBePublic(new URL(origin)) ? origin : null
}

/**
 * The headers of an entry with their values.
 * @throws LoadError where a variable is not set
 */
export function entryHeaders(
  { headers = {} }: Pick<SourceEntry, "headers">,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([header, variable]) => {
      const value = environment[variable]
      if (!value) throw new LoadError(`Cannot send ${header}: ${variable} is not set`)
      return [header, value]
    }),
  )
}

/** The shortest value that counts as a secret: shorter ones occur in words. */
const shortestSecret = 4

/**
 * A message without the values of headers and queries, which a server may repeat in its error page, also
 * where the message cuts that page within a value.
 */
export function withoutSecrets(
  message: string,
  entry: SourceEntry,
  environment: NodeJS.ProcessEnv,
): string {
  const ofHeaders = Object.values(entry.headers ?? {}).flatMap((variable) => {
    const value = environment[variable] ?? ""
    return [value, ...value.split(/\s+/)]
  })
  const ofQueries = urlsOf(entry).flatMap((url) => {
    const { search, searchParams } = new URL(url)
    const written = search.slice(1).split("&")
    return [...searchParams.values(), ...written.map((pair) => pair.replace(/^[^=]*=/, ""))]
  })
  let shown = message
  for (const secret of [...ofHeaders, ...ofQueries]) {
    for (let { length } = secret; length >= shortestSecret; length--) {
      shown = shown.replaceAll(length < secret.length ? `${secret.slice(0, length)}…` : secret, "…")
    }
  }
  return shown
}
