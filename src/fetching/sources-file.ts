/**
 * The operator's file of addresses: where the files of each source are, and how they may be fetched.
 * Secrets are not part of it: a header names the environment variable that holds its value.
 */
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox"
import { Value, type ValueError } from "@sinclair/typebox/value"
import { reasonOf } from "../loading/file-error.ts"
import { LoadError } from "../loading/load-error.ts"
import { sourceNamed } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { codeOf } from "../text/error-code.ts"
import { repeatedNames } from "./repeated-names.ts"

const text = Type.String({ minLength: 1 })
const strict = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

const common = {
  /** The least hours between two fetches. */
  every: Type.Optional(Type.Number({ minimum: 0, maximum: 8_760 })),
  /** What the public is told of where the files come from. */
  public_address: Type.Optional(text),
  licence: Type.Optional(text),
  attribution: Type.Optional(text),
  /** By header, the environment variable that holds its value. */
  headers: Type.Optional(Type.Record(Type.String({ pattern: "^[A-Za-z0-9-]+$" }), text)),
  /** Hosts, besides that of the address, to which redirects may lead; with a port if it is no usual one. */
  redirect_hosts: Type.Optional(Type.Array(text)),
  allow_private: Type.Optional(Type.Boolean()),
  max_mb: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  /** What one file may unpack to. */
  max_unpacked_mb: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000 })),
  /** The files add and change records only. */
  partial: Type.Optional(Type.Boolean()),
  all_sectors: Type.Optional(Type.Boolean()),
}
/** Several are the source's complete set together. */
const oneOrMore = Type.Union([text, Type.Array(text, { minItems: 1, uniqueItems: true })])
/** A page repeats the last record of the page before. */
const pageSize = Type.Optional(Type.Integer({ minimum: 2, maximum: 100_000 }))

const kinds = {
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
    url: text,
    type_name: text,
    /** An attribute that no two features share, or several with commas. */
    sort_by: text,
    page_size: pageSize,
    ...common,
  }),
} as const satisfies Record<string, TSchema>

/** What entries of any kind may have. */
export const entryNames = [
  ...new Set(Object.values(kinds).flatMap(({ properties }) => Object.keys(properties))),
]

type FileEntry = Static<typeof kinds.file>
export type ArcgisEntry = Static<typeof kinds.arcgis>
export type WfsEntry = Static<typeof kinds.wfs>
export type SourceEntry = FileEntry | ArcgisEntry | WfsEntry

export interface Fetchable {
  source: Source
  entry: SourceEntry
}

/** The hours between two fetches where the file does not say. */
export const defaultEveryHours = 24

/** @throws LoadError that names the file and each of its faults with its place */
export async function readSourcesFile(path: string): Promise<Fetchable[]> {
  const content = await Bun.file(path)
    .text()
    .catch((error: unknown) => {
      const hint =
        codeOf(error) === "ENOENT"
          ? ". It lists the addresses to fetch; the guide's page on loading has an example"
          : ""
      throw new LoadError(`Cannot read ${path}: ${reasonOf(error)}${hint}`)
    })
  return parseSourcesFile(content, path)
}

/** @throws LoadError */
export function parseSourcesFile(content: string, path: string): Fetchable[] {
  const entries = Object.entries(objectOf(content, path))
  const faults = repeatedNames(content).map((place) => `${place}: is there twice`)
  const fetchables = entries.flatMap(([name, value]) => {
    const source = sourceNamed(name)
    if (typeof source === "string") faults.push(`${name}: ${source}`)
    const entryFaults = faultsOf(name, value)
    faults.push(...entryFaults)
    if (typeof source === "string" || entryFaults.length > 0) return []
    return [{ source, entry: value as SourceEntry }]
  })
  if (faults.length > 0) throw new LoadError(`Cannot use ${path}:\n${faults.join("\n")}`)
  return fetchables
}

function objectOf(content: string, path: string): object {
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new LoadError(`Cannot use ${path}: it is not valid JSON (${reason})`)
  }
  throw new LoadError(`Cannot use ${path}: it must be an object with a source in each name`)
}

function faultsOf(name: string, value: unknown): string[] {
  const kind = (value as { kind?: unknown } | null)?.kind
  const schema = Object.entries(kinds).find(([each]) => each === kind)?.[1]
  if (!schema) return [`${name}.kind: must be "file", "arcgis" or "wfs"`]
  const found = new Map<string, string>()
  for (const error of Value.Errors(schema, value)) {
    const place = name + error.path.replaceAll("/", ".")
    if (!found.has(place)) found.set(place, faultText(error))
  }
  const faults = found.size > 0 ? [...found] : faultyValues(name, value as SourceEntry)
  return faults.map(([place, fault]) => `${place}: ${fault}`)
}

/** What the schema does not tell of an entry that has its form: places with their faults. */
function faultyValues(name: string, entry: SourceEntry): [string, string][] {
  const { headers = {}, redirect_hosts = [], public_address } = entry
  const faults = urlsOf(entry).map((url): [string, string | undefined] => [
    `${name}.url`,
    urlFault(url),
  ])
  if (public_address !== undefined)
    faults.push([`${name}.public_address`, publicFault(public_address)])
  for (const [index, host] of redirect_hosts.entries()) {
    if (URL.parse(`https://${host}`)?.host === host.toLowerCase()) continue
    const place = `${name}.redirect_hosts.${index}`
    faults.push([place, "must be a host, with its port where that is not the usual one"])
  }
  for (const header of Object.keys(headers)) {
    if (!ownHeaders.includes(header.toLowerCase())) continue
    faults.push([`${name}.headers.${header}`, "is set by this program"])
  }
  return faults.filter((each): each is [string, string] => each[1] !== undefined)
}

/** Servers are told honestly who asks; the others belong to the transfer. */
const ownHeaders = [
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "if-modified-since",
  "if-none-match",
  "if-range",
  "range",
  "transfer-encoding",
  "user-agent",
]

function faultText({ message, schema }: ValueError): string {
  if (message === "Unexpected property") return "unknown name"
  if (message === "Expected required property") return "is missing"
  if (message === "Expected union value") return "must be an address or a list of addresses"
  if (schema.type === "string" && schema.minLength === 1) return "must be text that is not empty"
  return message.replace(/^Expected/, "must be")
}

export const urlsOf = ({ url }: SourceEntry): string[] => (typeof url === "string" ? [url] : url)

/** The database refuses a query too, where secrets mostly are. */
const publicFault = (address: string): string | undefined =>
  urlFault(address) ?? (/[?#]/.test(address) ? "must have no query and no fragment" : undefined)

/**
 * What the public is told of where the files come from: what the operator says, or else their origin.
 */
export const publicAddress = (entry: SourceEntry): string | null =>
  entry.public_address === undefined
    ? publicOrigin(urlsOf(entry), entry.allow_private ?? false)
    : new URL(entry.public_address).href

/**
 * Scheme, host and port, as the rest of an address may hold a secret. Null where the files have several
 * hosts, and where they may be of a private network.
 */
export function publicOrigin(urls: readonly string[], allowPrivate: boolean): string | null {
  const [origin = null, ...others] = new Set(urls.map((url) => new URL(url).origin))
  return others.length > 0 || allowPrivate ? null : origin
}

/** What is wrong with an address; undefined where it can be fetched. */
export function urlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an http or https address"
  if (url.username || url.password) return "must not contain a user or password; use headers"
  return undefined
}

/**
 * The headers of an entry with their values.
 * @throws LoadError where a variable is not set
 */
export function headersOf(
  { headers = {} }: Pick<SourceEntry, "headers">,
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([header, variable]) => {
      const value = environment[variable]
      if (!value) throw new LoadError(`Cannot send ${header}: ${variable} is not set`)
      return [header, value]
    }),
  )
}

/** The shortest value that can be a secret: a shorter one would cut words. */
const shortestSecret = 4

/** What is sent to the source's server and must not be shown: values of headers and of queries. */
export function secretsOf(
  entry: SourceEntry,
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const ofHeaders = Object.values(entry.headers ?? {}).map((variable) => environment[variable])
  const ofQueries = urlsOf(entry).flatMap((url) => {
    const { search, searchParams } = new URL(url)
    return [...searchParams.values(), ...search.slice(1).split(/[&=]/)]
  })
  return [...ofHeaders, ...ofQueries].filter(
    (value): value is string => value !== undefined && value.length >= shortestSecret,
  )
}
