/** The served description, with every reference replaced by what it names. */

export interface HeaderObject {
  required: boolean
  example?: string | number
}

export interface Example {
  summary: string
  value: unknown
}

export interface ResponseObject {
  headers: Record<string, HeaderObject>
  content?: Record<string, { schema: object; examples: { example: Example } }>
}

export interface ParameterObject {
  name: string
  in: string
  schema: { examples: (string | number | boolean)[] }
}

export interface OperationObject {
  summary: string
  operationId: string
  tags: string[]
  parameters: ParameterObject[]
  responses: Record<string, ResponseObject>
}

export interface EventSchema {
  properties: {
    type: { const: string }
    data: { properties: Record<string, object>; required: string[] }
  }
}

export interface Document {
  openapi: string
  servers: { url: string; description: string }[]
  paths: Record<string, { get: OperationObject }>
  webhooks: Record<
    string,
    {
      post: {
        parameters: { name: string }[]
        requestBody: { content: { "application/json": { schema: EventSchema } } }
      }
    }
  >
  components: { schemas: Record<string, object> }
}

/** @param url of the service */
export async function readDocument(url: string): Promise<Document> {
  const whole: unknown = await (await fetch(`${url}/openapi.json`)).json()
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== "object" || value === null) return value
    const { $ref, ...own } = value as { $ref?: string }
    const found = $ref === undefined ? {} : resolve(named(whole, $ref))
    const others = Object.entries(own).map(([key, each]) => [key, resolve(each)])
    return { ...(found as object), ...Object.fromEntries(others) }
  }
  return resolve(whole) as Document
}

const named = (whole: unknown, reference: string): unknown =>
  reference
    .replace("#/", "")
    .split("/")
    .reduce((from, step) => Reflect.get(from as object, step), whole)

export const operationsIn = ({ paths }: Document): OperationObject[] =>
  Object.values(paths).map(({ get }) => get)

export function responseOf({ operationId, responses }: OperationObject, status: number) {
  const found = responses[status]
  if (!found) throw new Error(`${operationId} has no ${status}`)
  return found
}

export function exampleIn({ content = {} }: ResponseObject, mediaType: string): Example {
  const found = content[mediaType]?.examples.example
  if (!found) throw new Error(`No example in ${mediaType}`)
  return found
}
