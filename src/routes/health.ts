/** For whoever runs the service: is it up, and can it answer? No token, no count. */
import { Elysia } from "elysia"
import type { Releases } from "../db/releases.ts"

export const healthRoutes = ({ releases }: { releases: Releases }) =>
  new Elysia({ name: "health" })
    .get("/health/live", () => ({ status: "live" }))
    .get("/health/ready", async () => ({
      status: "ready",
      release: (await releases.current()).id,
    }))
