/** The releases of the data, and the sources that they come from. */
import { Elysia } from "elysia"
import { releases } from "../../data/resources/releases.ts"
import { sources } from "../../data/resources/sources.ts"
import { dataRequest } from "../plugins/data-request.ts"
import { listEndpoint } from "../responses/endpoint.ts"
import { type DataOptions, responder } from "./data.ts"

export const releaseList = listEndpoint({
  path: "/releases",
  description: "Newest first.",
  resource: releases,
})

export const sourceList = listEndpoint({
  path: "/sources",
  description:
    "In the order of their first loads. The list shows their present state and belongs to no release: loads without a release change it too.",
  resource: sources,
  ofNoRelease: true,
})

export function releaseRoutes(options: DataOptions) {
  const respond = responder(options)
  return new Elysia({ name: "releases" })
    .use(dataRequest(options))
    .get(releaseList.path, respond(releaseList))
    .get(sourceList.path, respond(sourceList))
}
