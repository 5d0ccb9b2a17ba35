/** Lists the routes of the app. No request comes, so the app uses none of its options. */
import { type AppOptions, createApp } from "../../src/app.ts"

export const { routes } = createApp({} as AppOptions)

/** Lists the paths that GET has in the API, as the documentation writes them: `/companies/{code}`. */
export const apiPaths = routes
  .filter(({ method, path }) => method === "GET" && path.startsWith("/api/v1/"))
  .map(({ path }) =>
    path
      .slice("/api/v1".length)
      .replace(/\/$/, "")
      .replace(/:(\w+)/g, "{$1}"),
  )
