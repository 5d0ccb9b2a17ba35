import type { Asking, TestService } from "../support/service.ts"
import { readList, type Shown } from "./bodies.ts"

/** Reads a list as the interface tells clients to: page 1 up, until page >= total_pages. */
export async function crawl(
  service: TestService,
  path: string,
  perPage: number,
  asking: Asking = {},
): Promise<Shown[]> {
  const records: Shown[] = []
  for (let page = 1; ; page++) {
    const joint = path.includes("?") ? "&" : "?"
    const answer = await service.get(`${path}${joint}page=${page}&per_page=${perPage}`, asking)
    if (answer.status !== 200) throw new Error(`${path}, page ${page}: ${answer.status}`)
    const { data, meta } = await readList(answer)
    if (data.length > perPage || meta.page !== page) throw new Error(`Page ${page} is no page`)
    records.push(...data)
    if (page >= meta.total_pages) return records
  }
}
