/** The parts of the account area. */

import { tabs } from "../kit/components.ts"
import type { Html } from "../kit/html.ts"

const parts = [
  { path: "/account", label: "Summary" },
  { path: "/account/tokens", label: "API Tokens" },
  { path: "/account/usage", label: "Usage" },
  { path: "/account/audit", label: "Audit" },
  { path: "/account/sessions", label: "Sessions" },
  { path: "/account/password", label: "Password" },
  { path: "/account/admin", label: "All accounts" },
] as const

/** @param isAdmin whether the person sees the accounts of all */
export const accountTabs = (current: (typeof parts)[number]["path"], isAdmin = false): Html =>
  tabs(
    "Account",
    parts.filter(({ path }) => isAdmin || path !== "/account/admin"),
    current,
  )
