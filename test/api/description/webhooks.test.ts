/** The description has a webhook for each type of event, with the properties of the events that the service sends. */
import { expect, test } from "bun:test"
import { requestTest } from "../../../src/accounts/alerts/store.ts"
import { alertWorkbench } from "../../accounts/alerts/alert-workbench.ts"
import { awkward } from "../../support/fixtures.ts"
import { readDocument } from "./document.ts"

const bench = await alertWorkbench()
const { webhooks } = await readDocument(bench.service.url)

test("Each webhook has the headers of Standard Webhooks and the type of its events", () => {
  expect(Object.keys(webhooks)).toEqual([
    ...["list.changed", "list.expiring", "record.changed", "release.published", "test"],
  ])
  for (const [type, { post }] of Object.entries(webhooks)) {
    expect(post.parameters.map(({ name }) => name)).toEqual([
      ...["webhook-id", "webhook-timestamp", "webhook-signature"],
    ])
    expect(post.requestBody.content["application/json"].schema.properties.type.const).toBe(type)
  }
})

test("Each event has the described properties and no others", async () => {
  const [company] = awkward.companies
  const watch = await bench.watch({ list: "/companies" })
  await bench.watch({ record: `/companies/${company?.asx_code}` })
  await bench.watch({ releases: true })
  await bench.change(requestTest, watch.id)
  await bench.service.publish({ ...awkward, companies: awkward.companies.slice(1) })
  await bench.settled()
  const { events } = bench.receiver
  expect(events.map(({ type }) => type).sort()).toEqual([
    ...["list.changed", "record.changed", "release.published", "test"],
  ])
  for (const { type, data } of events) {
    const schema = webhooks[type]?.post.requestBody.content["application/json"].schema
    const { properties = {}, required = [] } = schema?.properties.data ?? {}
    expect([type, Object.keys(properties)]).toEqual([
      type,
      expect.arrayContaining(Object.keys(data)),
    ])
    expect([type, Object.keys(data)]).toEqual([type, expect.arrayContaining(required)])
  }
})
