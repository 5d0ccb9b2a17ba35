/**
 * The operator's file of addresses: where the files of each source are, and how they may be fetched.
 * Secrets are not part of it: a header names the environment variable that holds its value.
 */
import { type Static, type TProperties, type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { LoadError, reasonOf } from "../loading/load-error.ts"
import { sourceNamed } from "../sources/catalogue.ts"
import type { Source } from "../sources/source.ts"
import { codeOf } from "../text/error-code.ts"

const text = Type.String({ minLength: 1 })
const strict = <T extends TProperties>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

const common = {
  /** The least hours between two fetches. */
  every: Type.Optional(Type.Number({ minimum: 0, maximum: 8_760 })),
  /** The address that the public is shown. */
  public_address: Type.Optional(text),
  licence: Type.Optional(text),
  attribution: Type.Optional(text),
  /** By header, the environment variable that holds its value. */
  headers: Type.Optional(Type.Record(Type.String({ pattern: "^[A-Za-z0-9-]+$" }), text)),
  allow_private: Type.Optional(Type.Boolean()),
  /** The files add and change records only. */
  partial: Type.Optional(Type.Boolean()),
  all_sectors: Type.Optional(Type.Boolean()),
}
/** Several are the source's complete set together. */
const oneOrMore = Type.Union([text, Type.Array(text, { minItems: 1, uniqueItems: true })])
const pageSize = Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 }))

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
  const fetchables: Fetchable[] = []
  const faults: string[] = []
  for (const [name, value] of Object.entries(objectOf(content, path))) {
    const source = sourceNamed(name)
    const entry = entryOf(name, value)
    if (typeof source === "string") faults.push(`${name}: ${source}`)
    if (Array.isArray(entry)) faults.push(...entry)
    else if (typeof source !== "string") fetchables.push({ source, entry })
  }
  if (faults.length > 0) throw new LoadError(`Cannot use ${path}:\n${faults.join("\n")}`)
  return fetchables
}

function objectOf(content: string, path: string): object {
  try {
    const value: unknown = JSON.parse(content)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value
  } catch (error) {
    throw new LoadError(`Cannot use ${path}: it is not valid JSON (${reasonOf(error)})`)
  }
  throw new LoadError(`Cannot use ${path}: it must be an object with a source in each name`)
}

/** @returns the entry, or its faults, each with its place */
function entryOf(name: string, value: unknown): SourceEntry | string[] {
  for (const schema of Object.values(kinds)) {
    if (!Value.Check(Type.Pick(schema, ["kind"], { additionalProperties: true }), value)) continue
    const isEntry = Value.Check(schema, value)
    const faults = isEntry ? valueFaults(value) : schemaFaults(schema, value)
    if (isEntry && faults.length === 0) return value
    return faults.map((fault) => `${name}.${fault}`)
  }
  return [`${name}.kind: must be "file", "arcgis" or "wfs"`]
}

/** The first fault of each place. */
function schemaFaults(schema: TSchema, value: unknown): string[] {
  const faults = [...Value.Errors(schema, value)]
  return faults
    .filter(({ path }, at) => faults.findIndex((other) => other.path === path) === at)
    .map(({ path, message }) => `${path.slice(1).replaceAll("/", ".")}: ${message}`)
}

/** What the schema does not tell of an entry that has its form. */
function valueFaults(entry: SourceEntry): string[] {
  const { public_address } = entry
  const faults = urlsOf(entry).map((url) => ["url", urlFault(url)])
  if (public_address !== undefined) {
    // The database refuses a query too, where secrets mostly are.
    const query = /[?#]/.test(public_address) ? "must have no query and no fragment" : undefined
    faults.push(["public_address", urlFault(public_address) ?? query])
  }
  return faults.filter(([, fault]) => fault !== undefined).map((fault) => fault.join(": "))
}

export const urlsOf = ({ url }: SourceEntry): string[] => (typeof url === "string" ? [url] : url)

/** What is wrong with an address; undefined where it can be fetched. */
export function urlFault(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol)) return "must be an http or https address"
  if (url.username || url.password) return "must not contain a user or password; use headers"
  return undefined
}

/** The address that the public is shown: the operator's, or else the origin of the files. */
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

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The headers of an entry with their values.
 * @throws LoadError where a variable is not set
 */
export function headersOf(
  { headers = {} }: Pick<SourceEntry, "headers">,
  environment: Environment,
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

/**
 * A message without the values of headers and queries, which a server may repeat in its error page, and
 * without the beginning of one at which the message cuts that page.
 */
export function withoutSecrets(
  message: string,
  entry: SourceEntry,
  environment: Environment,
): string {
  const ofHeaders = Object.values(entry.headers ?? {}).flatMap((variable) => {
    const value = environment[variable] ?? ""
    return [value, ...value.split(/\s+/)]
  })
  const ofQueries = urlsOf(entry).flatMap((url) => {
    const { search, searchParams } = new URL(url)
    return [...searchParams.values(), ...search.slice(1).split(/[&=]/)]
  })
  let shown = message
  for (const secret of [...ofHeaders, ...ofQueries]) {
    if (secret.length < shortestSecret) continue
    shown = shown.replaceAll(secret, "…")
    for (let length = secret.length - 1; length >= shortestSecret; length--) {
      shown = shown.replaceAll(`${secret.slice(0, length)}…`, "…")
    }
  }
  return shown
}
