/**
 * The words that decide a tenement's status, in the registers of all states. The guide defines each status.
 *
 * A status is that of the register. A granted tenement past its expiry date stays granted: hundreds of them
 * await renewal.
 */
import { phraseReader } from "./deciding-words.ts"

const byWords = phraseReader([
  {
    means: "granted",
    terms: "granted grant issued active approved current live registered".split(" "),
  },
  { means: "granted", terms: ["in force"] },
  // A renewal, asked for or given, is one of a tenement in force.
  { means: "granted", terms: ["renewal", "renew", "renewed"], over: ["pending"] },
  // Until its surrender is accepted, a tenement is in force.
  {
    means: "granted",
    terms: ["pending surrender", "pending partial surrender"],
    over: [null, "pending"],
  },
  // The retained part of a reduced tenement is in force.
  { means: "granted", terms: ["retained"] },
  { means: "granted", terms: ["reduction retained"], over: [null] },
  { means: "surrendered", terms: ["reduction relinquished"], over: [null] },
  {
    means: "pending",
    terms: ["application", "applied", "lodged", "pending", "under assessment"],
  },
  { means: "suspended", terms: ["suspended"], over: ["granted"] },
  // The word beside `ceased` has the reason.
  { means: "expired", terms: ["expired"], over: ["ceased"] },
  { means: "surrendered", terms: ["surrendered", "relinquished"], over: ["ceased"] },
  { means: "cancelled", terms: ["cancelled", "canceled", "revoked"], over: ["ceased"] },
  { means: "forfeited", terms: ["forfeited"], over: ["ceased"] },
  { means: "converted", terms: ["converted", "amalgamated"], over: ["ceased"] },
  { means: "refused", terms: ["refused", "rejected"], over: ["pending", "ceased"] },
  { means: "withdrawn", terms: ["withdrawn"], over: ["pending", "ceased"] },
  { means: "lapsed", terms: ["lapsed"], over: ["pending", "ceased"] },
  { means: "ceased", terms: ["ceased", "terminated", "dead"] },
  { means: "ceased", terms: ["non current", "not current"], over: [null, "granted"] },
  {
    means: null,
    terms: [
      ..."not non no never without partial partially partly part former formerly".split(" "),
      // Not yet granted, and perhaps never.
      ..."proposed proposal intended intention recommended recommendation".split(" "),
      ...["offer", "offered", "ready", "pre", "to be", "for grant", "to grant", "awaiting grant"],
      // An issued paper about the tenement.
      ..."notice certificate cert coa".split(" "),
      // Something other than the tenement itself is pending.
      ..."surrender cancellation forfeiture revocation refusal withdrawal suspension".split(" "),
      ..."transfer variation conversion amalgamation reduction appeal".split(" "),
    ],
  },
])

/** An appeal against a grant leaves the tenement in force. */
const grantUnderAppeal = /^\s*granted\s*\([^()]{0,100}\bappeal\b[^()]{0,100}\)\s*$/i

/** The status that a phrase means in any state's register; undefined for an unknown one. */
export const statusOf = (phrase: string) =>
  byWords(phrase) ?? (grantUnderAppeal.test(phrase) ? "granted" : undefined)
