/**
 * The entity tag is a function of release, query and format, and `If-None-Match` compares weakly
 * (RFC 9110, section 13.1.2).
 */
import { expect, test } from "bun:test"
import { entityTag } from "../../src/http/entity-tag.ts"

const release = { id: 7, publishedAt: 1_767_225_600 }
const tag = entityTag(release, "/companies?page=1", "json")

test("a tag is the same in every process and every version of Bun", () => {
  // Of the SHA-256 of "1767225600 json /companies?page=1", by another program.
  expect(tag).toBe('W/"7-VarQAaGIJh30SQK-YgQuPQ"')
})

test("release, its time, query and format each make another tag", () => {
  const tags = [
    tag,
    entityTag({ ...release, id: 8 }, "/companies?page=1", "json"),
    entityTag({ ...release, publishedAt: release.publishedAt + 1 }, "/companies?page=1", "json"),
    entityTag({ ...release, identity: "a" }, "/companies?page=1", "json"),
    entityTag({ ...release, identity: "b" }, "/companies?page=1", "json"),
    entityTag(release, "/companies?page=2", "json"),
    entityTag(release, "/companies?page=1", "csv"),
  ]
  expect(new Set(tags).size).toBe(tags.length)
})
