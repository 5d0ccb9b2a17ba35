/** The pattern of a route; undefined where a path has none of its own. */
export const routePattern = (route: string | undefined): string | undefined =>
  route === undefined || route.endsWith("/*") ? undefined : route.replace(/(?<=.)\/$/, "")
