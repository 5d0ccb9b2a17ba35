import postgres from "postgres"

/** Whether the database at the address responds to a query. */
export async function responds(url: string, connectSeconds: number): Promise<boolean> {
  const sql = postgres(url, { max: 1, connect_timeout: connectSeconds, fetch_types: false })
  try {
    await sql`select 1`
    return true
  } catch {
    return false
  } finally {
    await sql.end({ timeout: 1 })
  }
}
