import type { ErrorBody } from "../../src/api/http/api-error.ts"

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
