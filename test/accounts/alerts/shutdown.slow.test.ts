/** A process that stops begins no deliveries: its end would cut them, and another process would repeat them. */
import { expect, test } from "bun:test"
import { createWatch } from "../../../src/accounts/alerts/create-watch.ts"
import { awkward } from "../../support/fixtures.ts"
import { afterFile } from "../../support/of-file.ts"
import { testService } from "../../support/service.ts"
import { until } from "../../support/until.ts"
import { eventReceiver } from "./alert-workbench.ts"

test("From the beginning of its shutdown, a process sends no events", async () => {
  const service = await testService({ settings: { WEBHOOK_PRIVATE: "true" } })
  const receiver = eventReceiver()
  afterFile(receiver.stop)
  await createWatch(service.editor, {
    email: "standard@example.com",
    name: "Every release",
    subject: { kind: "releases" },
    channel: { kind: "webhook", url: receiver.url },
    now: service.clock.now,
  })
  await service.publish(awkward)
  await until(() => receiver.events.length === 1)
  const stopped = service.stop(2)
  await service.publish(awkward)
  await stopped
  expect(receiver.events).toHaveLength(1)
})
