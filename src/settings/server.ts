/** How the service is reached, and how it stops. */
import type { Settings } from "./setting.ts"
import { adminPort, baseUrl, integer, text } from "./values.ts"

export const server = {
  PORT: {
    description: "Port to listen on; 0 for any free port",
    fallback: "3000",
    parse: integer(0, 65_535),
  },
  HOST: {
    description: "Address to listen on; `0.0.0.0` for all",
    fallback: "127.0.0.1",
    parse: text,
  },
  ADMIN_PORT: {
    description:
      "Further port, on the same address, for operators alone: `/livez`, `/readyz` and `/metrics`; 0 for none: then they are on `PORT`, `/metrics` only for clients on this machine",
    fallback: "0",
    parse: adminPort,
  },
  BASE_URL: {
    description:
      "The service's public URL, used in `Link` headers, mailed links, the API's description and printed examples; required with `SMTP_URL`; without it links are relative",
    fallback: "",
    parse: baseUrl,
  },
  TRUSTED_PROXIES: {
    description:
      "How many proxies in front of the service append to `X-Forwarded-For`; 0 ignores that header",
    fallback: "0",
    parse: integer(0, 20),
  },
  SHUTDOWN_SECONDS: {
    description:
      "How long requests in progress may take to end when the service is stopped; then they are aborted. Docker kills a container ten seconds after `docker stop`",
    fallback: "6",
    parse: integer(0, 600),
  },
} as const satisfies Settings
