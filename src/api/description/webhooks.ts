/** The events of watches, as the webhooks of the OpenAPI document. */
import type { JsonSchema } from "./json-schema.ts"
import { objectSchema, wholeNumber } from "./schemas.ts"

const address = (description: string): JsonSchema => ({
  type: "string",
  format: "uri",
  description,
})

const page = address("The explorer's page of the changes")
const since = wholeNumber("The release of the previous event, or a later one with nothing new")
const list = address("The list in the API")
const byList = (description: string): JsonSchema => ({
  type: "object",
  additionalProperties: wholeNumber("Records"),
  description,
})
const resync: JsonSchema = {
  type: "boolean",
  const: true,
  description: "The releases cannot be compared: read the whole list again. There are no counts",
}

interface EventType {
  summary: string
  required: Readonly<Record<string, JsonSchema>>
  optional?: Readonly<Record<string, JsonSchema>>
}

const eventTypes: Readonly<Record<string, EventType>> = {
  "list.changed": {
    summary: "Records of a list changed or left it",
    required: { since_release: since, list, page_url: page },
    optional: {
      changed: wholeNumber("Records added or changed"),
      removed: wholeNumber("Records that left the list"),
      changed_url: address("The list of the changed records"),
      removed_url: address("The list of the removed records"),
      resync,
    },
  },
  "list.expiring": {
    summary: "Tenements of a list came within the watched days of their expiry",
    required: { since_release: since, list, page_url: page },
    optional: {
      expiring: wholeNumber("The sum of both lists"),
      expiring_url: address("The list whose expiry dates came within the days"),
      entered_url: address("The list of tenements that entered with a date within the days"),
      resync,
    },
  },
  "record.changed": {
    summary: "A record changed or was removed",
    required: { since_release: since, record: address("The record in the API"), page_url: page },
    optional: {
      changed: { type: "array", items: { type: "string" }, description: "Names of fields" },
      removed: { type: "boolean", description: "Whether the record was removed" },
      resync,
    },
  },
  "release.published": {
    summary: "A release was published",
    required: { since_release: since, page_url: page },
    optional: {
      changed: byList("Records added or changed, by list"),
      removed: byList("Removed records, by list"),
      resync,
    },
  },
  test: { summary: "The owner of a watch requested a test", required: {} },
}

const headers: Readonly<Record<string, [type: string, description: string]>> = {
  "webhook-id": ["string", "Identifies the event, the same in all attempts"],
  "webhook-timestamp": ["integer", "When this attempt was made, in Unix seconds"],
  "webhook-signature": [
    "string",
    "`v1,` and the base64 of the HMAC-SHA-256 of `id.timestamp.body`. While a secret is being replaced, two signatures separated by a space",
  ],
}

const watch = objectSchema({
  id: wholeNumber("Its number"),
  name: { type: "string", description: "Its name" },
})

export const webhooks = Object.fromEntries(
  Object.entries(eventTypes).map(([type, { summary, required, optional = {} }]) => {
    const data = objectSchema({ watch, release: wholeNumber("The newest release"), ...required })
    const schema = objectSchema({
      type: { type: "string", const: type },
      timestamp: { type: "string", format: "date-time", description: "When the event was made" },
      data: { ...data, properties: { ...data.properties, ...optional } },
    })
    const operation = {
      operationId: `receive-${type.replace(".", "-")}`,
      summary,
      description: "Follows Standard Webhooks 1.0. An event has no values of records.",
      security: [],
      parameters: Object.entries(headers).map(([name, [type, description]]) => ({
        ...{ name, in: "header", required: true, description, schema: { type } },
      })),
      requestBody: { required: true, content: { "application/json": { schema } } },
      responses: {
        "2XX": { description: "The event was received." },
        410: { description: "No further events are wanted: the watch is disabled." },
        "4XX": { description: "The event is sent again later." },
      },
    }
    return [type, { post: operation }]
  }),
)
