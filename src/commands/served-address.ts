/**
 * The address of the running service, for commands that print links. The service records it beside its
 * embedded database: a command that finds this database finds the service too, whatever its PORT.
 */
import { readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import type { Config } from "../config.ts"
import { codeOf } from "../system/text/error-code.ts"
import { localAddress } from "../system/text/service-addresses.ts"

const recordOf = (config: Config) => join(config.DATA_DIR, "service-address")

/** @returns removes the record when the service stops */
export function recordAddress(config: Config, url: string): () => void {
  if (config.DATABASE_URL !== null) return () => {}
  writeFileSync(recordOf(config), url)
  return () => rmSync(recordOf(config), { force: true })
}

export function addressForLinks(config: Config): string {
  const { BASE_URL, DATABASE_URL, HOST, PORT } = config
  if (BASE_URL !== "") return BASE_URL
  if (DATABASE_URL !== null) return localAddress(HOST, PORT)
  try {
    return readFileSync(recordOf(config), "utf8")
  } catch (error) {
    if (codeOf(error) !== "ENOENT") throw error
    return localAddress(HOST, PORT)
  }
}
