/** A collector that receives spans by OTLP over HTTP, in JSON, as OpenTelemetry's own does. */

interface AnyValue {
  stringValue?: string
  intValue?: number | string
  doubleValue?: number
  boolValue?: boolean
}

interface KeyValue {
  key: string
  value: AnyValue
}

interface SentSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  traceState?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: KeyValue[]
  status: { code?: number; message?: string }
  events: unknown[]
}

interface TraceRequest {
  resourceSpans: {
    resource: { attributes: KeyValue[] }
    scopeSpans: { spans: SentSpan[] }[]
  }[]
}

export interface ReceivedSpan {
  traceId: string
  spanId: string
  parent: string | undefined
  state: string | undefined
  name: string
  kind: "internal" | "server" | "client"
  attributes: Record<string, unknown>
  resource: Record<string, unknown>
  isError: boolean
  startNs: bigint
  endNs: bigint
  events: number
}

export type Collector = ReturnType<typeof collector>

const kinds = { 1: "internal", 2: "server", 3: "client" } as const

const attributesOf = (pairs: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, Object.values(value)[0]]))

/** @param answer what it answers with, in place of accepting the spans */
export function collector(answer?: () => Response | Promise<Response>) {
  const bodies: string[] = []
  const requests: { path: string; headers: Headers }[] = []
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      requests.push({ path: new URL(request.url).pathname, headers: request.headers })
      bodies.push(await request.text())
      return answer ? answer() : Response.json({})
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    /** All that it was sent, as it came. */
    text: () => bodies.join("\n"),
    spans: (): ReceivedSpan[] =>
      bodies.flatMap((body) =>
        (JSON.parse(body) as TraceRequest).resourceSpans.flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({
              traceId: span.traceId,
              spanId: span.spanId,
              parent: span.parentSpanId,
              state: span.traceState,
              name: span.name,
              kind: kinds[span.kind as keyof typeof kinds],
              attributes: attributesOf(span.attributes),
              resource: attributesOf(resource.attributes),
              isError: span.status.code === 2,
              startNs: BigInt(span.startTimeUnixNano),
              endNs: BigInt(span.endTimeUnixNano),
              events: span.events.length,
            })),
          ),
        ),
      ),
    stop: () => server.stop(true),
  }
}
