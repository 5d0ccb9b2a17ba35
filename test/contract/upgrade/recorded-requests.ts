/** The requests whose responses 1.0.0 gave, for a service on the upgraded database. */
import { differences } from "../recorded/compatible.ts"
import { type Exchange, readRecorded } from "../recorded/exchange.ts"
import { replay } from "../recorded/replay.ts"
import { tokensOf10 } from "./database-of-1-0.ts"

/** Of each file, in their order. */
export const recorded: readonly Exchange[][] = [...(await readRecorded()).values()]

const links = /<([^>]*)>; rel="(\w+)"/g

/**
 * The requests that name a release, whose responses no upgrade changes. Each stands by itself: it has the link that
 * 1.0.0 gave, as that of a client that reads on after an upgrade.
 */
export const atPastReleases: readonly Exchange[][] = recorded.map((exchanges) =>
  exchanges
    .map((exchange, index) => {
      const given = exchanges[index - 1]?.headers.link ?? ""
      const linked = new Map([...given.matchAll(links)].map(([, link, rel]) => [rel, link]))
      const request = exchange.request.replace(/\{(\w+)\}/, (name, rel) => linked.get(rel) ?? name)
      return { ...exchange, request }
    })
    .filter(({ request, sent }) => /\bas_of\b/.test(request) && !sent["If-None-Match"]),
)

/** Lists what a client of 1.0.0 would notice. The account with a limit must not have been used. */
export async function noticed(url: string, files: readonly Exchange[][]): Promise<string[]> {
  const found: string[] = []
  const { admin: token, enterprise: limited } = tokensOf10
  for (const exchanges of files) {
    const now = await replay({ url, token, limited }, exchanges)
    found.push(...exchanges.flatMap((was, index) => differences(was, now[index] ?? was)))
  }
  return found
}
