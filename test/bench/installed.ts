/** Which of the programs that rows need are there, and how to get the others. */
import { procIsReadable } from "./processes.ts"
import type { Program } from "./row.ts"

const packages: Record<Program, string> = {
  wrk: "wrk (apt-get install wrk)",
  psql: "psql (apt-get install postgresql-client)",
  pgbench: "pgbench (apt-get install postgresql-contrib, or the server's package)",
  curl: "curl (apt-get install curl)",
  gzip: "gzip (apt-get install gzip)",
  "redis-server": "redis-server (apt-get install redis-server)",
  "/proc": "Linux, to read the memory of processes",
}

const isThere = (program: Program): boolean => {
  if (program === "/proc") return procIsReadable
  if (program === "redis-server" && Bun.which("valkey-server")) return true
  return Bun.which(program) !== null
}

/** Those that are missing, each with how to get it. */
export const missingPrograms = (needed: readonly Program[]): string[] =>
  needed.filter((program) => !isThere(program)).map((program) => packages[program])
