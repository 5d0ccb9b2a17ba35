import { equals } from "../../data/resources/conditions.ts"
import { keyColumn, type Resource } from "../../data/resources/resource.ts"
import { versionsOf } from "../../data/resources/versions.ts"
import { listEndpoint } from "../responses/endpoint.ts"

/** Declares the list of the versions of one record. */
export const historyOf = <Path extends string>(path: Path, resource: Resource) =>
  listEndpoint({
    path,
    description: "Newest first.",
    resource: versionsOf(resource),
    belongsTo: { resource, scope: equals(keyColumn(resource)) },
  })
