/** The database itself rejects values that the API could not show, also from psql. */
import { expect, test } from "bun:test"
import { databaseOfFile } from "../../support/of-file.ts"

const hash = "0".repeat(64)
const rows = `
  insert into releases values (1, '2026-01-01', 'test', '{}'), (2, '2026-01-02', 'test', '{}');
  insert into companies values ('AAA', 'Alpha', 'alpha', 'alpha', 250000000000, 'Energy', 'energy', null, null, 1, true, 'test', 2);
  insert into companies_history values ('AAA', 'Alpha', 'alpha', 'alpha', null, null, null, null, null, 0, true, 'test', 1, null, 2);
  insert into tenements values ('T1', 'E1/1', 'E 00000001 00000001', 't1 e11', 'WA', null, null, null, null, 'Alpha', 'alpha', '{ALPHA}', '{}', '{AAA}', true, '0001-01-01', '9999-12-31', 0, -30.5, 121.5, 'shape', '((121000000,-31000000),(122000000,-30000000))', 'test', 2);
  insert into tenements_history values ('T1', 'E1/1', 'E 00000001 00000001', 't1 e11', 'NT', null, null, null, null, null, null, '{}', '{}', '{}', false, null, null, null, null, null, null, null, 'test', 1, null, 2);
  insert into subsidiaries values ('s-1', 'Beta', 'beta', 'beta', 'AAA', null, 100, 'test', 2);
  insert into subsidiaries_history values ('s-1', 'Beta', 'beta', 'beta', 'AAA', 'Chile', 0, 'test', 1, null, 2);
  insert into reports values ('a1', 'AAA', 'Title', 'title', null, '{}', 'other', '9999-12-31T23:59:59Z', null, 'test', 2);
  insert into reports_history values ('a1', 'AAA', 'Title', 'title', null, '{}', 'other', '0001-01-01T00:00:00Z', null, 'test', 1, null, 2);
  insert into accounts (id, email, email_folded, plan, request_limit) values
    (1, 'standard@example.com', 'standard@example.com', 'standard', null),
    (2, 'enterprise@example.com', 'enterprise@example.com', 'enterprise', 7),
    (3, 'admin@example.com', 'admin@example.com', 'admin', null);
  insert into tokens (account_id, name, sha256, prefix) values (1, 'job', '${hash}', 'mds_1a2b3c4d');
  insert into usage_hours values (1, '2026-01-01T03:00:00Z', 0, 5);`

const refusals = [
  ["accounts_plan", "update accounts set plan = 'gold', request_limit = null"],
  ["accounts_request_limit", "update accounts set plan = 'enterprise' where id = 1"],
  ["accounts_request_limit", "update accounts set request_limit = 5 where id = 1"],
  ["accounts_request_limit", "update accounts set request_limit = null where id = 2"],
  ["accounts_request_limit", "update accounts set request_limit = 0 where id = 2"],
  ["accounts_request_limit", "update accounts set plan = 'admin' where id = 2"],
  ["accounts_email", "update accounts set email = 'nobody' where id = 1"],
  ["tokens_sha256", "update tokens set sha256 = 'mds_1a2b3c4d'"],
  ["tokens_prefix", "update tokens set prefix = 'mds_'"],
  ["tokens_name", "update tokens set name = ' '"],
  ["access_changes_action", "update access_changes set action = 'seen'"],
  ["access_changes_columns", "update access_changes set columns = '[]'"],
  ["usage_hours_requests", "update usage_hours set requests = -1"],
  ["usage_hours_hour", "update usage_hours set hour = hour + interval '1 minute'"],
  ["releases_id", "insert into releases values (0, now(), 'test', '{}')"],
  ["releases_manifest", "update releases set manifest = 'null'"],
  ["releases_published_at", "update releases set published_at = 'infinity'"],
  ["companies_asx_code", "update companies set asx_code = 'aaa'"],
  ["companies_market_cap_aud", "update companies set market_cap_aud = 9007199254740992"],
  ["companies_total_tenements", "update companies set total_tenements = -1"],
  ["tenements_id", "update tenements set id = 'E1/1'"],
  ["tenements_id", "update tenements set id = ''"],
  ["tenements_id", "update tenements set id = repeat('9', 101)"],
  ["subsidiaries_id", "update subsidiaries set id = E'a\\n'"],
  ["tenements_state", "update tenements set state = 'wa'"],
  ["tenements_grant_date", "update tenements set grant_date = 'infinity'"],
  ["tenements_expiry_date", "update tenements set expiry_date = '10000-01-01'"],
  ["tenements_area_km2", "update tenements set area_km2 = 'NaN'"],
  ["tenements_area_km2", "update tenements set area_km2 = -1"],
  ["tenements_history_until_release", "update tenements_history set until_release = since_release"],
  ["subsidiaries_ownership_percentage", "update subsidiaries set ownership_percentage = 100.5"],
  ["subsidiaries_parent_asx_code", "update subsidiaries set parent_asx_code = ''"],
  ["reports_hash", "update reports set hash = 'a b'"],
  ["reports_published_at", "update reports set published_at = '10000-01-01T00:00:00Z'"],
]

const { sql } = await databaseOfFile()
await sql.unsafe(rows)

test.each(refusals)("%s rejects: %s", async (constraint, statement) => {
  const accepted = new Error("It was accepted")
  // Rolled back even where it is accepted, so that each finds the same rows.
  const refusal = sql.begin(async (tx) => {
    await tx.unsafe(statement)
    throw accepted
  })
  await expect(refusal).rejects.toMatchObject({ code: "23514", constraint_name: constraint })
})
