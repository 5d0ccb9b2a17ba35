import type { RequestOptions, TestService } from "../support/service.ts"
import { readList, type Shown } from "./bodies.ts"

/** Reads a list as the interface tells clients to: page 1 up, until page >= total_pages. */
export async function crawl(
  service: TestService,
  path: string,
  perPage: number,
  init: RequestOptions = {},
): Promise<Shown[]> {
  const records: Shown[] = []
  for (let page = 1; ; page++) {
    const joint = path.includes("?") ? "&" : "?"
    const response = await service.get(`${path}${joint}page=${page}&per_page=${perPage}`, init)
    if (response.status !== 200) throw new Error(`${path}, page ${page}: ${response.status}`)
    const { data, meta } = await readList(response)
    if (data.length > perPage || meta.page !== page) throw new Error(`Page ${page} is no page`)
    records.push(...data)
    if (page >= meta.total_pages) return records
  }
}
