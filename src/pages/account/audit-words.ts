/** Entries of the audit log in words. */
import type { AuditEntry } from "../../access/audit.ts"

/** `Token mds_1a2b3c4d renamed from “a” to “b”` */
export function entryInWords(entry: AuditEntry): string {
  const { action, columns, tokenPrefix } = entry
  if ("password_set_at" in columns) return passwordWords[action]
  if ("signed_in_at" in columns) return sessionWords(entry)
  const subject = tokenPrefix === null ? "Account" : `Token ${tokenPrefix}`
  const details = Object.entries(columns)
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .flatMap(([name, values]) => columnWords(entry, name, values))
  return [subject, action === "changed" ? null : action, details.join(", ")]
    .filter(Boolean)
    .join(" ")
}

/** Of columns in a sentence; the database has them in an order of its own. */
const order = [
  ...["account_id", "name", "email", "plan", "request_limit"],
  ...["expires_at", "for_spreadsheets", "revoked_at", "disabled_at"],
]

const passwordWords = {
  created: "Password set",
  changed: "Password changed",
  deleted: "Password removed",
} as const

function sessionWords({ action, columns: { method } }: AuditEntry): string {
  if (action === "deleted") return "Session ended"
  const by = method?.[1]
  if (by === "link") return "Signed in by one-time link"
  return typeof by === "string" ? `Signed in by ${by}` : "Signed in"
}

type Values = AuditEntry["columns"][string]

function columnWords({ action }: AuditEntry, name: string, [before, after]: Values): string[] {
  const isNew = action === "created"
  const value = action === "deleted" ? before : after
  switch (name) {
    case "account_id":
      return action === "changed" ? ["moved to another account"] : []
    case "name":
      return [action === "changed" ? `renamed from “${before}” to “${after}”` : `“${value}”`]
    case "email":
      return [action === "changed" ? `address changed from ${before} to ${after}` : `${value}`]
    case "plan":
      return [
        action === "changed" ? `plan changed from ${before} to ${after}` : `on the ${value} plan`,
      ]
    case "request_limit":
      return after === null ? [] : [`limit ${value} requests per hour`]
    case "expires_at":
      return [value === null ? "no longer expires" : `expires ${time(value)}`]
    case "revoked_at":
      return [after === null ? "no longer revoked" : "revoked"]
    case "disabled_at":
      return [after === null ? "enabled" : "disabled"]
    case "for_spreadsheets":
      if (isNew || action === "deleted") return value === true ? ["for spreadsheets"] : []
      return [after === true ? "marked for spreadsheets" : "no longer marked for spreadsheets"]
    default:
      return [`${name} ${value}`]
  }
}

/** The database writes times in UTC, with an offset. */
const time = (value: unknown): string => `${String(value).slice(0, 16).replace("T", " ")} UTC`
