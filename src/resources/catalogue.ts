import { companies } from "./companies.ts"
import { reports } from "./reports.ts"
import type { Resource } from "./resource.ts"
import { subsidiaries } from "./subsidiaries.ts"
import { tenements } from "./tenements.ts"

/**
 * Every resource that is loaded, in the order in which one load publishes several: names before the
 * holders that are linked by them, so that tenements are linked as they are added.
 */
export const resources: readonly Resource[] = [companies, subsidiaries, tenements, reports]
