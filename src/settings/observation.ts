/** What operators see of a running process. */
import type { Settings } from "./setting.ts"
import { boolean, collectorUrl, headerList, oneOf, ratio, text } from "./values.ts"

export const observation = {
  LOG_FORMAT: {
    description:
      "Format of the log: `json` for one object per line, `text` for people, `auto` for text on a terminal and JSON elsewhere",
    fallback: "auto",
    parse: oneOf("auto", "json", "text"),
  },
  LOG_LEVEL: {
    description:
      "The least severe lines that are logged: `error`, `warn`, `info`, or `debug`, which adds the requests of probes and scrapers",
    fallback: "info",
    parse: oneOf("error", "warn", "info", "debug"),
  },
  NO_COLOR: {
    description: "Any value leaves colours out of the log, which has them on a terminal alone",
    fallback: "",
    parse: (value) => value !== "",
  },
  SERVER_TIMING: {
    description:
      "`true` for `Server-Timing` in every response: where its time went, in milliseconds, for every client",
    fallback: "false",
    parse: boolean,
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    description:
      "OpenTelemetry collector that traces are sent to by OTLP over HTTP, as `http://host:4318`; empty for none",
    fallback: "",
    parse: collectorUrl,
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    description: "Headers for the collector, as `name=value,name=value`",
    fallback: "",
    secret: true,
    parse: headerList,
  },
  OTEL_SERVICE_NAME: {
    description: "Name of the service in its traces",
    fallback: "mds",
    parse: text,
  },
  OTEL_TRACES_SAMPLER: {
    description:
      "Which requests are traced: `always_on`, `always_off`, `traceidratio`, or one of these with `parentbased_` before it, which follows the decision of a caller that has a trace",
    fallback: "parentbased_always_on",
    parse: oneOf(
      "parentbased_always_on",
      "parentbased_always_off",
      "parentbased_traceidratio",
      "always_on",
      "always_off",
      "traceidratio",
    ),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    description: "Share of requests that are traced by a sampler by ratio, from 0 to 1",
    fallback: "1",
    parse: ratio,
  },
} as const satisfies Settings
