/** Reads each list of the service with DuckDB as Parquet, CSV and NDJSON, and prints how they differ. */
import { writeFile } from "node:fs/promises"
import { DuckDBInstance } from "@duckdb/node-api"

const { SERVICE_URL = "", TOKEN = "", DIRECTORY = "", PATHS = "" } = process.env

const connection = await (await DuckDBInstance.create(":memory:")).connect()

async function query(sql: string): Promise<Record<string, unknown>[]> {
  return (await connection.runAndReadAll(sql)).getRowObjectsJson()
}

async function download(path: string, format: string): Promise<string> {
  const guard = format === "csv" ? "&formula_guard=false" : ""
  const response = await fetch(`${SERVICE_URL}/api/v1${path}?all=true&format=${format}${guard}`, {
    headers: { Authorization: `Bearer ${TOKEN}` },
  })
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  const file = `${DIRECTORY}/${path.replaceAll("/", "-")}.${format}`
  await writeFile(file, await response.bytes())
  return file
}

const results: Record<string, unknown> = {}
for (const path of PATHS.split(" ")) {
  const parquet = `read_parquet('${await download(path, "parquet")}')`
  const types = await query(`describe select * from ${parquet}`)
  const columns = types.map(({ column_name, column_type }) => `${column_name}: '${column_type}'`)
  const others = [
    `read_csv('${await download(path, "csv")}', header = true, columns = {${columns}})`,
    `read_ndjson('${await download(path, "ndjson")}', columns = {${columns}})`,
  ]
  const differences = others.map((other) =>
    query(
      `(from ${parquet} except all from ${other}) union all (from ${other} except all from ${parquet})`,
    ),
  )
  const [count] = await query(`select count(*)::integer as rows from ${parquet}`)
  results[path] = {
    ...count,
    types: Object.fromEntries(types.map((type) => [type.column_name, type.column_type])),
    differences: (await Promise.all(differences)).flat(),
  }
}
process.stdout.write(JSON.stringify(results))
