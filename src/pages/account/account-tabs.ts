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
] as const

export const accountTabs = (current: (typeof parts)[number]["path"]): Html =>
  tabs("Account", parts, current)
