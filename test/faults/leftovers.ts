/** Traces that a fault may leave in the database and in the service. */
import { until } from "../support/until.ts"
import type { Deployment } from "./deployment.ts"

/** DATABASE_CONNECTIONS by default, and those for notifications and checks. */
const mostConnections = 24 + 6

/** Waits until no statement, lock, slot or export is left, and that the connections are no more than the settings say. */
export async function expectNothingLeft({ database, service }: Deployment): Promise<void> {
  await until(async () => {
    const text = await (await fetch(`${service.url}/metrics`)).text()
    const loads = [
      ...text.matchAll(/db_client_connection_(?:count|pending_requests)\{[^}]*\} (\d+)/g),
    ]
    return loads.length >= 8 && loads.every(([, count]) => count === "0")
  })
  // The service's own checks come and go.
  await until(async () => {
    const [left] = await database.run<{ count: number }>(`
      select (count(*) filter (where state <> 'idle') + greatest(count(*) - ${mostConnections}, 0)
        + (select count(*) from pg_locks where locktype = 'advisory'))::int as count
      from pg_stat_activity where application_name like 'mds %'`)
    return left?.count === 0
  })
}
