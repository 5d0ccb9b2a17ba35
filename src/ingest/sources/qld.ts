/**
 * Queensland: the layers of granted permits and of applications (EPC, EPM, MDL, ML), with the names
 * of ten letters that a shapefile truncates them to, the long names of the service, or the names of the
 * state's national service (`tenname`). In the short layout `PERMITTYPE` and `PERMITSTAT` are numbers; the
 * texts are in the columns that end in `_1`.
 *
 * The layer of moratorium areas has the columns of the permits, but its permits have ended: their
 * land is closed to applications for a time. Its status is Granted all the same. It is
 * distinguished by `DATE_RANGE`, the class in the map's legend: there it is of expiry dates,
 * elsewhere of grant or lodgement dates.
 */
import { holdersIn } from "./register-holders.ts"
import { registerSource } from "./register-source.ts"
import { dateOf, writtenText } from "./register-values.ts"
import type { RawRecord } from "./source.ts"

export const qld = registerSource({
  name: "qld",
  state: "QLD",
  description:
    "the Queensland register of coal and mineral permits, as GeoJSON, CSV or dBase; moratorium areas are left out",
  required: {
    reference: ["displayname", "DISPLAYNAM", "tenname"],
    type: ["PERMITTY_1", "permittype", "tentype"],
    status: ["PERMITST_1", "permitstatus", "tenstatus"],
    holder: ["authorisedholdername", "AUTHORIS_1", "tenowner"],
  },
  optional: {
    substatus: ["PERMITST_2", "permitstate"],
    granted: ["approvedate", "APPROVEDAT", "grantdate"],
    expires: ["expirydate", "expiredate"],
    hectares: ["shapeareahectares", "SHAPEAREAH"],
    squareMetres: ["SHAPEAREA"],
    givenName: ["permitname"],
    dateRange: ["DATE_RANGE"],
  },
  entryOf: (raw) =>
    isMoratorium(raw)
      ? { leftOut: "moratorium areas, which are not permits" }
      : {
          ...raw,
          // Exploration permits have no area: the column has 0.0 or, in one real row, the number of sub-blocks.
          hectares: /^exploration/i.test(String(raw.type)) ? null : raw.hectares,
          holders: holdersIn(raw.holder),
        },
})

function isMoratorium({ status, substatus, type, dateRange, granted, expires }: RawRecord) {
  if ([status, substatus, type].some((text) => /moratorium/i.test(String(text)))) return true
  const [from, to] = (writtenText(dateRange) ?? "").split(" to ")
  const [grant, expiry] = [dateOf(granted, "QLD"), dateOf(expires, "QLD")]
  if (from === undefined || to === undefined) return false
  if (typeof grant !== "string" || typeof expiry !== "string") return false
  const isWithin = (day: string) => from <= day && day <= to
  return isWithin(expiry) && !isWithin(grant)
}
