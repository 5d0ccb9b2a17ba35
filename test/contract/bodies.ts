import { expect } from "bun:test"
import type { ErrorBody } from "../../src/api/http/api-error.ts"
import type { RequestOptions, TestService } from "../support/service.ts"

/** A record as a body has it. */
export type Shown = Record<string, unknown>

export interface ListBody {
  data: Shown[]
  meta: { total: number; page: number; per_page: number; total_pages: number }
}

export const readList = async (response: Response) => (await response.json()) as ListBody

export const readRecord = async (response: Response) =>
  ((await response.json()) as { data: Shown }).data

export const readError = async (response: Response) => ((await response.json()) as ErrorBody).error

/** The number of the release that a response shows, and 0 without one. */
export const releaseOf = ({ headers }: Response): number => Number(headers.get("x-data-release"))

export interface Fault {
  parameter: string
  message: string
  allowed?: string[]
}

/** Gets a path whose parameters must be rejected. @returns what is wrong with them */
export async function faultsOf(
  { get }: Pick<TestService, "get">,
  path: string,
  init: RequestOptions = {},
): Promise<Fault[]> {
  const response = await get(path, init)
  const { code, details } = await readError(response)
  expect([path, response.status, code]).toEqual([path, 400, "INVALID_PARAMETER"])
  return details?.parameters as Fault[]
}
