/** From starting the service to its first response. */
import { freePort } from "../../support/supervised.ts"
import type { Row } from "../row.ts"
import { authorization } from "../sides.ts"

const starts = 7

export const start: Row = {
  name: "start",
  work: "serve to its first 200, with the database there",
  needs: [],
  targets: [{ figure: "ours", atMost: 250 }],
  run: async (environment) => {
    const samples: number[] = []
    const headers = await authorization(environment)
    for (let round = -1; round < starts; round++) {
      const port = freePort()
      const startedMs = performance.now()
      const [, answeredMs] = await Promise.all([
        environment.freshService({ PORT: String(port) }),
        untilAnswered(`http://127.0.0.1:${port}/api/v1/tenements?per_page=1`, headers),
      ])
      // The first one reads the program's files from the disk.
      if (round >= 0) samples.push(answeredMs - startedMs)
      await environment.endRow()
    }
    return { figures: { ours: { unit: "ms", samples } } }
  },
}

const limitMs = 60_000

/** @returns when it was */
async function untilAnswered(url: string, headers: Record<string, string>): Promise<number> {
  const deadlineMs = performance.now() + limitMs
  while (!(await isAnswered(url, headers))) {
    if (performance.now() > deadlineMs) throw new Error(`${url} was not answered with 200`)
    await Bun.sleep(1)
  }
  return performance.now()
}

const isAnswered = (url: string, headers: Record<string, string>): Promise<boolean> =>
  fetch(url, { headers }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status === 200
    },
    () => false,
  )
