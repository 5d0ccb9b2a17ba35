/**
 * The entity tag is a function of version, query and format, and `If-None-Match` compares weakly
 * (RFC 9110, section 13.1.2).
 */
import { expect, test } from "bun:test"
import { entityTag } from "../../../src/api/http/entity-tag.ts"

const tag = entityTag("7 a", "json /companies?page=1")

test("A tag is the same in every process and every version of Bun", () => {
  // Of the SHA-256 of "7 a json /companies?page=1", by another program.
  expect(tag).toBe('W/"NjTDxS6Y6PU0BCxrvD2Sm3"')
})
