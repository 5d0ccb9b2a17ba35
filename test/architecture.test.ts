/**
 * The parts of src import one another in one direction only, and each framework is used in its own
 * part.
 */
import { expect, test } from "bun:test"
import { dirname, join } from "node:path"
import { Glob } from "bun"

const src = Bun.fileURLToPath(new URL("../src", import.meta.url))

interface File {
  path: string
  part: string
  text: string
  /** Paths of ours that it imports. */
  ours: string[]
  /** Those of them that are loaded as soon as it is. */
  oursAtOnce: string[]
  packages: string[]
  packagesAtOnce: string[]
}

/** The wings have rooms. Other folders, and the files of `system`, are rooms of their own. */
const wings = ["api", "data", "accounts", "ingest", "web", "system"]

/** The resources import the tables, and the wiring of the database imports the resources. This divides `db`. */
const schema = "data/db/schema.ts"
const schemaFiles = [schema, "data/db/source-tables.ts", "data/db/columns.ts"]

/** Other rooms count the values of the metrics, and declare their types. */
const histogram = "system/metrics/histogram.ts"

/** A room, or a file that counts as one: `http` for `api/http/page.ts`. */
function partOf(path: string): string {
  if (schemaFiles.includes(path)) return schema
  if (path === histogram) return histogram
  const [first = "", second = ""] = path.split("/")
  return wings.includes(first) ? second : first
}

const importPattern =
  /^(?:import|export)\s+(type\s+)?(?:[^"';]*?\bfrom\s*)?"([^"]+)"|\bimport\("([^"]+)"\)/gm

const files: File[] = await Promise.all(
  [...new Glob("**/*.ts").scanSync(src)].sort().map(async (path) => {
    const text = await Bun.file(join(src, path)).text()
    const imports = [...text.matchAll(importPattern)].map(([, type, from, dynamic]) => {
      const of = from ?? dynamic ?? ""
      return {
        of: of.startsWith(".") ? join(dirname(path), of) : of,
        ours: of.startsWith(".") && !of.endsWith(".json"),
        atOnce: type === undefined && dynamic === undefined,
      }
    })
    return {
      path,
      part: partOf(path),
      text,
      ours: imports.filter(({ ours }) => ours).map(({ of }) => of),
      oursAtOnce: imports.filter(({ ours, atOnce }) => ours && atOnce).map(({ of }) => of),
      packages: imports.filter(({ ours }) => !ours).map(({ of }) => of),
      packagesAtOnce: imports.filter(({ ours, atOnce }) => !ours && atOnce).map(({ of }) => of),
    }
  }),
)

/** What each part may import of the others. */
const allowed: Record<string, string[]> = {
  "program.ts": [],
  text: [],
  places: ["text"],
  http: ["places", "text"],
  log: ["text"],
  "settings.ts": ["text"],
  "config.ts": ["settings.ts"],
  mail: ["text"],
  [histogram]: [],
  redis: ["text"],
  [schema]: [],
  resources: [schema, "places", "text"],
  db: [schema, histogram, "program.ts", "resources", "text"],
  reader: ["db", schema, "resources", "text"],
  embedded: ["db", "program.ts", "text"],
  metrics: ["db", schema, histogram, "http", "reader"],
  sources: [schema, "http", "resources", "text"],
  loading: ["db", schema, "http", "places", "program.ts", "reader", "resources", "sources", "text"],
  fetching: ["db", "loading", "places", "resources", "sources", "text"],
  access: ["db", schema, "http", "redis", "resources", "text"],
  responses: ["db", "reader", "http", "log", "metrics", "redis", "resources", "text"],
  plugins: ["access", "responses", "db", "reader", "http", "log", "metrics", "resources"],
  description: ["responses", "db", "reader", "http", "program.ts", "resources", "text"],
  routes: [
    "access",
    "responses",
    "db",
    "reader",
    "description",
    "http",
    "plugins",
    "program.ts",
    "resources",
    "text",
    "metrics",
  ],
  alerts: [
    "access",
    "responses",
    "db",
    schema,
    "reader",
    "http",
    "mail",
    "program.ts",
    "resources",
    "routes",
    "text",
  ],
  pages: [
    "access",
    "alerts",
    "responses",
    "db",
    "reader",
    "description",
    "http",
    "plugins",
    "program.ts",
    "resources",
    "routes",
    "text",
  ],
  mcp: [
    "access",
    "responses",
    "db",
    "reader",
    "http",
    "log",
    "plugins",
    "program.ts",
    "resources",
    "routes",
    "text",
  ],
  "app.ts": ["description", "http", "mcp", "pages", "plugins", "routes"],
  "server.ts": ["http", "log", "plugins", "text"],
  service: [
    "access",
    "alerts",
    "responses",
    "app.ts",
    "config.ts",
    "db",
    "reader",
    "log",
    "mail",
    "metrics",
    "pages",
    "redis",
    "text",
  ],
  "listen-error.ts": [],
  "service.ts": ["app.ts", "listen-error.ts", "plugins", "server.ts", "service", "text"],
  commands: [
    "access",
    "alerts",
    "config.ts",
    "db",
    "embedded",
    "fetching",
    "http",
    "listen-error.ts",
    "loading",
    "log",
    "places",
    "program.ts",
    "resources",
    "service.ts",
    "sources",
    "text",
  ],
  sample: [
    "access",
    "commands",
    "config.ts",
    "db",
    "loading",
    "reader",
    "resources",
    "sources",
    "text",
    schema,
  ],
  "main.ts": ["commands", "config.ts"],
  "health-check.ts": ["config.ts", "text"],
}

test("Every part of src has declared imports", () => {
  expect([...new Set(files.map(({ part }) => part))].sort()).toEqual(Object.keys(allowed).sort())
})

test("Each part imports only parts above it", () => {
  const parts = Object.keys(allowed)
  for (const [index, part] of parts.entries()) {
    expect(parts.slice(0, index)).toEqual(expect.arrayContaining(allowed[part] ?? []))
  }
})

test.each(Object.entries(allowed))("%s imports nothing of ours but %j", (part, others) => {
  const forbidden = files
    .filter((file) => file.part === part)
    .flatMap(({ path, ours }) => ours.map((of) => [path, of] as const))
    .filter(([, of]) => partOf(of) !== part && !others.includes(partOf(of)))
    .map(([path, of]) => `${path} -> ${of}`)
  expect(forbidden).toEqual([])
})

test("No file imports itself through other files, types included", () => {
  const done = new Set<string>()
  const visit = (path: string, from: string[]): void => {
    if (from.includes(path)) throw new Error([...from.slice(from.indexOf(path)), path].join(" -> "))
    if (done.has(path)) return
    for (const other of fileAt(path)?.ours ?? []) visit(other, [...from, path])
    done.add(path)
  }
  for (const { path } of files) visit(path, [])
})

const exportPattern =
  /^export (?:abstract |async |declare )*(?:function\*?|const|let|class|interface|type|enum) (\w+)/gm

test("Each exported name of src has one definition", () => {
  // Overloads, and a constant with the type of its name, are one definition.
  const definitions = files.flatMap(({ path, text }) =>
    [...new Set([...text.matchAll(exportPattern)].map(([, name = ""]) => name))].map(
      (name) => [name, path] as const,
    ),
  )
  const pathsOf = Map.groupBy(definitions, ([name]) => name)
  const repeated = [...pathsOf].filter(([, paths]) => paths.length > 1).map(([name]) => name)
  expect(pathsOf.size).toBeGreaterThan(1_000)
  expect(repeated).toEqual([])
})

/** The paths that are loaded as soon as these are, and the packages that they import. */
function loadedWith(...paths: string[]) {
  const loaded = new Set<string>()
  const load = (path: string): void => {
    if (loaded.has(path)) return
    loaded.add(path)
    for (const other of fileAt(path)?.oursAtOnce ?? []) load(other)
  }
  for (const path of paths) load(path)
  const packages = [...loaded].flatMap((path) => fileAt(path)?.packagesAtOnce ?? [])
  return { loaded: [...loaded].sort(), packages: [...new Set(packages)] }
}

const fileAt = (path: string): File | undefined => files.find((file) => file.path === path)

test("The program loads a command only when it runs", () => {
  const { loaded } = loadedWith("main.ts")
  expect(loaded).toContain("commands/run.ts")
  const commands = files
    .filter(({ text }) => /^export const \w+ = (?:command|group)\(/m.test(text))
    .map(({ path }) => path)
  expect(commands.length).toBeGreaterThan(5)
  expect(commands.filter((path) => loaded.includes(path))).toEqual([])
})

// It is started every few seconds.
test("The health check loads the settings and no package", () => {
  const { loaded, packages } = loadedWith("health-check.ts")
  expect([...packages].filter((name) => !name.startsWith("node:"))).toEqual([])
  expect(
    loaded.filter((path) => !/^(?:config\.ts|settings\.ts|system\/text\/)/.test(path)),
  ).toEqual(["health-check.ts"])
})

test("Only `serve` loads the server", () => {
  const commands = files.filter(({ part }) => part === "commands").map(({ path }) => path)
  expect(loadedWith("main.ts", ...commands).packages).not.toContain("elysia")
})

test("Serving loads no module that only loading or the reference needs", () => {
  const { loaded, packages } = loadedWith("main.ts", "commands/serve.ts", "system/service.ts")
  expect(packages).toContain("elysia")
  const ofLoading = loaded.filter((path) => ["loading", "sources"].includes(partOf(path)))
  expect(ofLoading).toEqual(["ingest/loading/load-error.ts"])
  const ofDescription = loaded.filter((path) => partOf(path) === "description")
  expect(ofDescription).toEqual([])
  expect(packages).not.toContain("yauzl")
  expect(packages).not.toContain("proj4")
  expect(packages.filter((name) => name.startsWith("@modelcontextprotocol/"))).toEqual([])
})

test("Each framework is imported only in its own parts", () => {
  const users = (name: string) =>
    [
      ...new Set(
        files
          .filter(({ packages }) => packages.some((of) => of === name || of.startsWith(`${name}/`)))
          .map(({ part }) => part),
      ),
    ].sort()
  expect(users("elysia")).toEqual(["app.ts", "mcp", "pages", "plugins", "routes"])
  expect(users("@modelcontextprotocol/server")).toEqual(["mcp"])
  expect(users("@elysiajs/bearer")).toEqual(["plugins"])
  expect(users("commander")).toEqual(["commands"])
  expect(users("proj4")).toEqual(["places"])
  for (const part of users("postgres")) expect(["db", "loading"]).toContain(part)
  for (const part of users("drizzle-orm")) {
    expect(["access", "alerts", "db", "reader", schema, "loading", "resources"]).toContain(part)
  }
})

test("Only settings are read from the environment", () => {
  const readers = files.filter(({ text }) => /\b(process|Bun|import\.meta)\.env\b/.test(text))
  // main.ts hands it to config.ts; the embedded server's processes are given their PATH.
  // Two of these reject the proxies that Bun would read from there.
  const known = [
    "system/embedded/cluster.ts",
    "ingest/fetching/request.ts",
    "health-check.ts",
    "main.ts",
    "sample/quickstart.ts",
  ]
  for (const { path } of readers) expect(known).toContain(path)
})

test("The room `http` reads no clock and no random numbers", () => {
  for (const { path, part, text } of files) {
    if (part !== "http") continue
    expect([
      path,
      /Date\.now|new Date\(\)|performance\.now|Math\.random|crypto\./.test(text),
    ]).toEqual([path, false])
  }
})

test("The program writes nothing to the console", () => {
  expect(files.filter(({ text }) => /\bconsole\./.test(text)).map(({ path }) => path)).toEqual([])
})

test("Every test file begins with a sentence that states its promise", async () => {
  const tests = Bun.fileURLToPath(new URL(".", import.meta.url))
  // Those of the benchmark's peers have tests of their own.
  const isOurs = (path: string) => !path.includes("node_modules/")
  const paths = [...new Glob("**/*.test.ts").scanSync(tests)].filter(isOurs).sort()
  const leads = await Promise.all(
    paths.map(async (path) => {
      const text = await Bun.file(join(tests, path)).text()
      const lead = /^\/\*\*(.*?)\*\//s.exec(text)?.[1] ?? ""
      return lead.replace(/\s*\n \* ?/g, " ").trim()
    }),
  )
  expect(paths.filter((_, index) => !/^(\S+ ){4,}\S+\.$/.test(leads[index] ?? ""))).toEqual([])
})
