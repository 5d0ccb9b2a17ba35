/** A client that reads a list page by page, and asks again for a page that is refused. */
import { until } from "../support/until.ts"
import type { Deployment } from "./deployment.ts"

const list = "/tenements?per_page=2"

interface Page {
  data: { id: string }[]
  meta: { total_pages: number }
}

export function pageReader({ service, token }: Deployment) {
  const ids: string[] = []
  let next = 1
  let pages = 1

  /** Tries to read the next page. @returns whether it came */
  async function read(): Promise<boolean> {
    const answer = await service.get(`${list}&page=${next}`, token)
    const body = await answer.text()
    if (answer.status !== 200) return false
    const page: Page = JSON.parse(body)
    ids.push(...page.data.map(({ id }) => id))
    pages = page.meta.total_pages
    next++
    return true
  }

  return {
    read,
    /** The records that it has read in the end, in their order. */
    readToEnd: async (): Promise<string[]> => {
      while (next <= pages) await until(read)
      return ids
    },
  }
}
