/** The step of a load that deals with the records that its files lack. */

import { hourMs } from "../text/durations.ts"
import {
  type AbsenceRule,
  applyAbsent,
  type Context,
  findAbsent,
  forgetReturned,
  noteAbsent,
} from "./absence.ts"
import type { ChangeFigures, MissingFigures } from "./figures.ts"
import { guardAgainstShrinking } from "./guard.ts"

interface Options extends AbsenceRule {
  /** Whether the files are their source's complete set, and all of it could be read. */
  isWhole: boolean
  acceptShrink: boolean
  release: number
}

interface Missing {
  changes: Pick<ChangeFigures, "removed" | "deactivated">
  /** Undefined where nothing is or was missing. */
  figures: MissingFigures | undefined
}

/** @throws LoadError where more than a twentieth of the records is missing */
export async function applyMissing(context: Context, options: Options): Promise<Missing> {
  const { sql, staging, source, whenMissing } = context
  const { isWhole, atOnce, acceptShrink, release } = options
  if (!isWhole) {
    const returned = await forgetReturned(context)
    return {
      changes: { removed: 0, deactivated: 0 },
      figures: await figuresOf(context, { newly: 0, returned }),
    }
  }
  const absent = await findAbsent(context, options)
  const { table } = staging
  if (!acceptShrink) guardAgainstShrinking(absent, { source, table, whenMissing, atOnce })
  const returned = await noteAbsent(context, options)
  const changes = await applyAbsent(context, release)
  const [row] = await sql`
    select count(*)::integer as newly from absent where is_new and not goes`
  return { changes, figures: await figuresOf(context, { newly: row?.newly, returned }) }
}

async function figuresOf(
  { sql, staging, source }: Context,
  { newly, returned }: Omit<MissingFigures, "missing">,
): Promise<MissingFigures | undefined> {
  const [row] = await sql`
    select count(*)::integer as missing
    from missing_records m join ${sql(staging.table)} t
      on t.${sql(staging.key)} = m.key and t.source = m.source
    where m.source = ${source} and m.resource = ${staging.table}`
  const missing: number = row?.missing
  return missing + returned > 0 ? { missing, newly, returned } : undefined
}

/** The time from which a load that lacks a record removes or deactivates it; as `2026-01-02T03:04:05Z`. */
export function goesFrom(missingSince: string, absentAfterHours: number): string {
  const time = new Date(Date.parse(missingSince) + absentAfterHours * hourMs)
  return `${time.toISOString().slice(0, 19)}Z`
}
