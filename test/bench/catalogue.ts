/** All rows, in the order of the table. */
import type { Row } from "./row.ts"
import { crawl } from "./rows/crawl.ts"
import { deepPageRows } from "./rows/deep-pages.ts"
import { exportRows } from "./rows/exports.ts"
import { fairnessRows } from "./rows/fairness.ts"
import { firstCallers } from "./rows/first-callers.ts"
import { load } from "./rows/load.ts"
import { memory } from "./rows/memory.ts"
import { overloadRows } from "./rows/overload.ts"
import { pageRows } from "./rows/pages.ts"
import { randomPageRows } from "./rows/random-pages.ts"
import { recordRows } from "./rows/records.ts"
import { redisRows } from "./rows/redis.ts"
import { searchRows } from "./rows/searches.ts"
import { soak } from "./rows/soak.ts"
import { stalledExports } from "./rows/stalled-exports.ts"
import { start } from "./rows/start.ts"
import { webPages } from "./rows/web-pages.ts"

export const rows: readonly Row[] = [
  ...pageRows,
  ...recordRows,
  ...randomPageRows,
  ...exportRows,
  crawl,
  ...deepPageRows,
  ...searchRows,
  firstCallers,
  ...fairnessRows,
  stalledExports,
  ...overloadRows,
  load,
  start,
  webPages,
  ...redisRows,
  memory,
  soak,
]
