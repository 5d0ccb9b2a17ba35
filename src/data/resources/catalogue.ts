import { companies } from "./companies.ts"
import { declarations } from "./declared-tenements.ts"
import { reports } from "./reports.ts"
import type { Resource } from "./resource.ts"
import { subsidiaries } from "./subsidiaries.ts"
import { tenements } from "./tenements.ts"

/**
 * The resources that have lists, in the order in which one load publishes several: company names precede the
 * holders that link by them.
 */
export const resources: readonly Resource[] = [companies, subsidiaries, tenements, reports]

export const loadedResources: readonly Resource[] = [...resources, declarations]
