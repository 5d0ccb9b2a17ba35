/**
 * Queensland: the layers of granted permits and of applications (EPC, EPM, MDL, ML), with the names
 * of ten letters that a shapefile truncates them to, or the long names of the service. In the short
 * layout `PERMITTYPE` and `PERMITSTAT` are numbers; the texts are in the columns that end in `_1`.
 *
 * The layer of moratorium areas has the columns of the permits, but its permits have ended: their
 * land is closed to applications for a time. Its status is Granted all the same. It is
 * distinguished by `DATE_RANGE`, the class in the map's legend: there it is of expiry dates,
 * elsewhere of grant or lodgement dates.
 */
import { registerSource, tenementOf } from "./register-tenement.ts"
import { areaOf, dateOf, textOf } from "./register-values.ts"
import type { RawRecord, Source } from "./source.ts"

export const qld: Source = {
  name: "qld",
  description:
    "the Queensland register of coal and mineral permits, as GeoJSON, CSV or dBase; moratorium areas are left out",
  columns: {
    required: ["reference", "type", "status", "holder"],
    optional: ["substatus", "granted", "expires", "squareMetres", "hectares", "dateRange"],
    spellings: {
      reference: ["displayname", "DISPLAYNAM"],
      type: ["PERMITTY_1", "permittype"],
      status: ["PERMITST_1", "permitstatus"],
      substatus: ["PERMITST_2", "permitstate"],
      holder: ["authorisedholdername", "AUTHORIS_1"],
      granted: ["approvedate", "APPROVEDAT"],
      expires: ["expirydate"],
      squareMetres: ["SHAPEAREA"],
      hectares: ["shapeareahectares", "SHAPEAREAH"],
      dateRange: ["DATE_RANGE"],
    },
    others: "ignore",
  },
  fromOptional: {
    grant_date: ["granted"],
    expiry_date: ["expires"],
    area_km2: ["squareMetres", "hectares"],
  },
  ...registerSource,
  map: (raw) => {
    if (isMoratorium(raw)) return { leftOut: "moratorium areas, which are not permits" }
    return tenementOf({
      state: "QLD",
      reference: raw.reference,
      status: raw.status,
      type: raw.type,
      holders: [raw.holder],
      grantDate: raw.granted,
      expiryDate: raw.expires,
      ...areaIn(raw),
    })
  },
}

/** Hectares are 0.0 for exploration permits; all permits have square metres. */
function areaIn({ squareMetres, hectares }: RawRecord) {
  return areaOf(squareMetres, "m2") === null
    ? { area: hectares, areaUnit: "ha" }
    : { area: squareMetres, areaUnit: "m2" }
}

function isMoratorium({ status, substatus, type, dateRange, granted, expires }: RawRecord) {
  if ([status, substatus, type].some((text) => /moratorium/i.test(String(text)))) return true
  const [from, to] = (textOf(dateRange) ?? "").split(" to ")
  const [grant, expiry] = [dateOf(granted, "QLD"), dateOf(expires, "QLD")]
  if (from === undefined || to === undefined) return false
  if (typeof grant !== "string" || typeof expiry !== "string") return false
  const isWithin = (day: string) => from <= day && day <= to
  return isWithin(expiry) && !isWithin(grant)
}
