/** The condition of a position selects the rows after it, and an index scan can start there. */
import { expect, test } from "bun:test"
import { type SQL, sql } from "drizzle-orm"
import { PgDialect } from "drizzle-orm/pg-core"
import { after, nullsOf, orderBy, positionName } from "../../../src/db/reader/seek.ts"
import { companies } from "../../../src/db/schema.ts"
import type { OrderTerm } from "../../../src/resources/resource.ts"

const { market_cap_aud, asx_code, company_name_folded } = companies

const text = (condition: SQL): string =>
  new PgDialect().sqlToQuery(condition).sql.replaceAll('"companies".', "").replaceAll('"', "")

const term = (column: OrderTerm["column"], direction: OrderTerm["direction"]): OrderTerm => ({
  column,
  direction,
})

const byName = [term(company_name_folded, "asc"), term(asx_code, "asc")]
const byCap = [term(market_cap_aud, "desc"), term(asx_code, "asc")]

test("nulls come last in both directions", () => {
  expect(orderBy(byCap).map(text)).toEqual([
    "market_cap_aud desc nulls last",
    "asx_code asc nulls last",
  ])
  expect(orderBy(byName).map(text)[0]).toBe("company_name_folded asc nulls last")
})

test("after a position of one term come the values beyond it", () => {
  expect(text(after([term(asx_code, "asc")], [false]))).toBe("asx_code > $1")
  expect(text(after([term(asx_code, "desc")], [false]))).toBe("asx_code < $1")
})

test("after a position come larger values, and equal ones with a larger key; an index scan can start at the first", () => {
  expect(text(after(byName, [false, false]))).toBe(
    "(company_name_folded >= $1 and (company_name_folded > $2 or asx_code > $3))",
  )
})

test("where a column is nullable, nulls come after every value", () => {
  expect(text(after(byCap, [false, false]))).toBe(
    "(market_cap_aud < $1 or (market_cap_aud = $2 and asx_code > $3) or market_cap_aud is null)",
  )
})

test("after a null come only nulls with a larger key", () => {
  expect(text(after(byCap, [true, false]))).toBe("(market_cap_aud is null and asx_code > $1)")
})

test("after nothing comes nothing", () => {
  expect(text(after([], []))).toBe(text(sql`false`))
})

test("a position's values are bound by index, and it is known which are null", () => {
  expect([positionName(0), positionName(1)]).toEqual(["position_0", "position_1"])
  expect(nullsOf([null, 0, "", false])).toEqual([true, false, false, false])
})
