/** A list page that was read before, whole and with If-None-Match. */
import type { ServerProcess } from "../processes.ts"
import type { Row } from "../row.ts"
import { asking, authorization, listPage, measureRates } from "../sides.ts"

const pageAgain: Row = {
  name: "page-again",
  work: "a list page asked for again (JSON, 50 records)",
  needs: ["wrk"],
  targets: [
    { figure: "ours", over: "bare", atLeast: 0.5 },
    { figure: "ours", over: "fastify", atLeast: 3 },
    { figure: "ours", over: "hono", atLeast: 3 },
    { figure: "CPU of ours", over: "CPU of bare" },
    { figure: "CPU of ours", over: "CPU of hono" },
  ],
  run: async (environment) => {
    const headers = await authorization(environment)
    const side = (server: ServerProcess) => asking(environment, server, listPage, headers)
    return {
      figures: await measureRates(environment, {
        ours: side(await environment.service()),
        bare: side(await environment.bare(listPage)),
        fastify: side(await environment.peer("fastify")),
        hono: side(await environment.peer("hono")),
      }),
    }
  },
}

const pageNotModified: Row = {
  name: "page-not-modified",
  work: "the same with If-None-Match",
  needs: ["wrk"],
  targets: [
    { figure: "ours", over: "bare", atLeast: 0.5 },
    { figure: "CPU of ours", over: "CPU of bare" },
  ],
  run: async (environment) => {
    const bare = await environment.bare(listPage)
    const headers = { ...(await authorization(environment)), "If-None-Match": bare.etag }
    const side = (server: ServerProcess) => asking(environment, server, listPage, headers)
    return {
      figures: await measureRates(environment, {
        ours: side(await environment.service()),
        bare: side(bare),
      }),
    }
  },
}

export const pageRows = [pageAgain, pageNotModified]
