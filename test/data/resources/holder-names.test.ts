/** Where natural persons are not named, a holder is stored only if its name is of no person. */
import { expect, test } from "bun:test"
import { namedHolders, withoutPersons } from "../../../src/data/resources/holder-names.ts"
import { fold } from "../../../src/system/text/fold.ts"

/** As written, and as stored. */
const holders: readonly (readonly [written: string, stored: string])[] = [
  ["GOLD PTY LTD", "GOLD PTY LTD"],
  ["Gold Limited", "Gold Limited"],
  ["CENTRAL PACIFIC MINERALS N.L.", "CENTRAL PACIFIC MINERALS N.L."],
  ["GOLDEN CLIFFS NL", "GOLDEN CLIFFS NL"],
  ["GOLD MINING COMPANY", "GOLD MINING COMPANY"],
  ["GOLD P/L", "GOLD P/L"],
  ["GOLD (AUST) PTY. LTD.", "GOLD (AUST) PTY. LTD."],
  ["GOLD CORPORATION, LIMITED", "GOLD CORPORATION, LIMITED"],
  ["GOLD PTY LTD (In Liquidation)", "GOLD PTY LTD (In Liquidation)"],
  ["GOLD PTY LTD (ACN 123 456 789)", "GOLD PTY LTD (ACN 123 456 789)"],
  // Of several companies, and companies with a joint in their names.
  ["GOLD PTY LTD AND IRON LIMITED", "GOLD PTY LTD AND IRON LIMITED"],
  ["GOLD P/L, IRON P/L & TIN P/L", "GOLD P/L, IRON P/L & TIN P/L"],
  ["GOLD PTY LTD AS TRUSTEE FOR IRON PTY LTD", "Individual"],
  ["BHP AND SONS PTY LTD", "BHP AND SONS PTY LTD"],
  ["WEBB & HALL PTY LTD", "WEBB & HALL PTY LTD"],
  ["A & B. WEBB EARTHMOVERS PTY LTD", "A & B. WEBB EARTHMOVERS PTY LTD"],
  ["A.B. & C.D. Webb Proprietary Limited", "A.B. & C.D. Webb Proprietary Limited"],
  ["MARY WEBB & CO. PTY LTD", "MARY WEBB & CO. PTY LTD"],
  ["GREAT WESTERN MINING AND GOLD LIMITED", "GREAT WESTERN MINING AND GOLD LIMITED"],
  ["METALS & ENERGY OF AUSTRALIA LTD", "METALS & ENERGY OF AUSTRALIA LTD"],
  ["ACN 603 462 513 PTY LTD", "ACN 603 462 513 PTY LTD"],
  ["A.C.N. 603 462 513 PTY LTD", "A.C.N. 603 462 513 PTY LTD"],
  ["GOLD PROSPECTING NO.1 PTY LTD", "GOLD PROSPECTING NO.1 PTY LTD"],
  ["GOLD (NO. 1) (PILBARA) PTY LTD", "GOLD (NO. 1) (PILBARA) PTY LTD"],
  ["GOLD (PILBARA) MINING PTY LTD", "GOLD (PILBARA) MINING PTY LTD"],
  ["14 MILE GOLD PTY LTD", "14 MILE GOLD PTY LTD"],
  ["GOLD NOMINEES PTY LTD", "GOLD NOMINEES PTY LTD"],
  ["MINES D'ÉTAÏN LIMITED", "MINES D'ÉTAÏN LIMITED"],
  // Public bodies.
  ["City Of Gold Plains", "City Of Gold Plains"],
  ["Central Gold Council", "Central Gold Council"],
  ["Gold Plains Council", "Gold Plains Council"],
  ["MINISTER FOR MINES", "MINISTER FOR MINES"],
  ["MINISTER FOR MINES AND ENERGY", "MINISTER FOR MINES AND ENERGY"],
  ["District Council Of Gold Plains", "District Council Of Gold Plains"],
  ["The Corporation Of The City Of Goldtown", "The Corporation Of The City Of Goldtown"],
  ["The Crown", "The Crown"],
  ["KERAS (PILBARA) GOLD PTY LTD", "Individual"],
  ["JANE SMITH (NO. 1) GOLD PTY LTD", "Individual"],
  ["JANE COUNCIL", "Individual"],
  ["JANE SMITH TASMAN COUNCIL", "Individual"],
  ["JANE SMITH *", "Individual"],
  ["JANE SMITH (RECEIVERS AND MANAGERS APPOINTED)", "Individual"],
  ["GOLD PTY LTD (RECEIVER JANE SMITH APPOINTED)", "Individual"],
  ["GOLD PTY LTD + JANE SMITH", "Individual"],
  ["SMITH (JANE) GOLD PTY LTD", "Individual"],
  ["SMITH (W.A.) & GOLD PTY LTD", "Individual"],
  ["SMITH (W.A.) AND GOLD PTY LTD", "Individual"],
  ["JANE SMITH OF GOLD PTY LTD", "Individual"],
  ["JANE SMITH & CO OF GOLD PTY LTD", "Individual"],
  ["JANE SMITH 2 PARTNERS PTY LTD", "Individual"],
  ["SMITH, Jane", "Individual"],
  ["SMITH, JANE ANN", "Individual"],
  ["Jane Smith", "Individual"],
  ["O'BRIEN-LTDSON, Jane", "Individual"],
  ["CROWN, Jane", "Individual"],
  ["DÉINC, Zoë", "Individual"],
  ["ÖNL Jane", "Individual"],
  ["GOLD PTY LTD, Jane Smith", "Individual"],
  ["GOLD PTY LTD AND JANE SMITH", "Individual"],
  ["GOLD PTY LTD Jane Smith", "Individual"],
  ["GOLD PTY LTD (Jane Smith)", "Individual"],
  ["GOLD PTY LTD & SMITH, JANE & IRON PTY LTD", "Individual"],
  ["SMITH, JANE & GOLD PTY LTD", "Individual"],
  ["SMITH, JONES & CO PTY LTD", "Individual"],
  ["JANE SMITH & GOLD PTY LTD", "Individual"],
  ["J.SMITH & GOLD PTY LTD", "Individual"],
  ["J. Smith and Gold Pty Ltd", "Individual"],
  ["JANE SMITH + GOLD PTY LTD", "Individual"],
  ["JANE SMITH/GOLD PTY LTD", "Individual"],
  ["JANE SMITH ATF PARTNERS PTY LTD", "Individual"],
  ["JANE SMITH MINING ATF GOLD PTY LTD", "Individual"],
  ["SMITH, GOLD PTY LTD", "Individual"],
  ["JANE\u1680SMITH & GOLD PTY LTD", "Individual"],
  ["JANE SMITH/LEE GOLD PTY LTD", "Individual"],
  ["JANE SMITH -GOLD PTY LTD", "Individual"],
  ["JANE SMITH - GOLD PTY LTD", "Individual"],
  ["JANE\u00a0SMITH & GOLD PTY LTD", "Individual"],
  ["JANE SMITH\tGOLD PTY LTD", "Individual"],
  ["A. & B. SMITH & C. SMITH & GOLD PTY LTD", "Individual"],
  ["Jane Smith as trustee for Gold Pty Ltd", "Individual"],
  ["JANE SMITH ATF SMITH FAMILY TRUST PTY LTD", "Individual"],
  ["GOLD PTY LTD ATF THE JANE SMITH FAMILY TRUST", "Individual"],
  ["GOLD PTY LTD (ATF JANE SMITH)", "Individual"],
  ["JANE SMITH C/- GOLD PTY LTD", "Individual"],
  ["SMITH C/O GOLD PTY LTD", "Individual"],
  ["JANE SMITH T/A GOLD PTY LTD", "Individual"],
  ["GOLD PTY LTD TRADING AS JANE SMITH", "Individual"],
  ["JANE SMITH (GOLD PTY LTD)", "Individual"],
  ["JANE SMITH AND COMPANY", "Individual"],
  ["SMITH J.N.L.", "Individual"],
  ["SMITH, NL", "Individual"],
  ["Smith NL", "Individual"],
  ["Jane Crown", "Individual"],
  ["JANE MINISTER", "Individual"],
  ["SHIRE OF GOLD AND JANE SMITH", "Individual"],
  ["MINISTER FOR MINES JANE SMITH", "Individual"],
  ["THE CITY OF GOLDTOWN JANE SMITH", "Individual"],
  ["CITY OF GOLDTOWN J SMITH", "Individual"],
  ["DEPARTMENT OF MINES JANE SMITH", "Individual"],
  ["JANE SMITH GOLD PLAINS COUNCIL", "Individual"],
  ["Jane\tSmith", "Individual"],
  // Joined by what no name of one company has.
  ...[
    ...["，", "；", "＆", "、", "／", "–", "×", "*", "=", '"', "[", "_"],
    ...["(50%)", "（50％）", "50%", "(50)", "50", "1/2", "(DECEASED)", "(J SMITH)"],
    ...["ABN 12345678901", "ACN 123 456 789", "A.C.N. 123 456 789", "(ABN 12 345 678 901)"],
    ...["12345678901", "ABN: 12345678901", "OBO", "PER", "VIA", "AGENT", "(AGENT)", "EXECUTOR"],
    ...["AS EXECUTOR FOR", "JOINTLY", "NOMINEE", "AKA", "FORMERLY", "ATTORNEY"],
  ].map((joint) => [`JANE SMITH ${joint} GOLD PTY LTD`, "Individual"] as const),
  ["JANE SMITH，GOLD PTY LTD", "Individual"],
  ["JANE SMITH 603 462 513 PTY LTD", "Individual"],
  ["GOLD PTY LTD (JANE SMITH) IRON PTY LTD", "Individual"],
  ["ＪＡＮＥ ＳＭＩＴＨ ＰＴＹ ＬＴＤ", "Individual"],
  // What a register adds, and joints that are part of a name.
  ...[
    "GOLD PTY LTD (Receivers and Managers Appointed)",
    "GOLD PTY LTD (RECEIVER & MANAGER APPOINTED) (ADMINISTRATORS APPOINTED)",
    "GOLD PTY. LTD. *",
    "GOLD PTY LTD*",
    "THE SHELL CO. OF AUSTRALIA LTD",
    "MINERALS 260 HOLDINGS PTY LTD",
    "GROUP 11 MINERALS PTY LTD",
    "WEBB + HALL PTY LTD",
    "GOLD MINING + IRON PTY LTD",
    "GOLD PTY LTD + IRON PTY LTD",
  ].map((name) => [name, name] as const),
  ["SMITH, Jane; GOLD PTY LTD", "Individual; GOLD PTY LTD"],
  ["GOLD PTY LTD; SMITH, Jane; SMITH, John", "GOLD PTY LTD; Individual; Individual"],
  ["GOLD PTY LTD; SMITH, Jane; IRON LIMITED", "GOLD PTY LTD; Individual; IRON LIMITED"],
]

const none: ReadonlySet<string> = new Set()

test("Only names that are known not to be a person's are stored", () => {
  expect(holders.map(([written]) => [written, withoutPersons(written, none)])).toEqual(
    holders.map(([...each]) => each),
  )
})

test("A folded name is masked exactly where the written one is", () => {
  for (const [written, stored] of holders) {
    expect([written, withoutPersons(fold(written), none).replaceAll("Individual", "")]).toEqual([
      written,
      fold(stored.replaceAll("Individual", "")),
    ])
  }
})

test("A known name is stored in any spelling", () => {
  const known = new Set(["GOLD AND SMITH", "JANE SMITH TRADING"])
  expect(withoutPersons("Gold & Smith; Jane Smith Trading; Jane Smith; X", known)).toBe(
    "Gold & Smith; Jane Smith Trading; Individual; Individual",
  )
})

test("A placeholder for a natural person is not a holder's name", () => {
  expect(namedHolders("Individual; GOLD PTY LTD;Individual;")).toEqual(["GOLD PTY LTD"])
  const withheld = "[individual holder - name withheld for privacy]"
  expect(namedHolders(`${withheld}; GOLD PTY LTD; ${withheld}`)).toEqual(["GOLD PTY LTD"])
})

test("Empty parts between separators are unchanged", () => {
  for (const text of [";", " ; ", ";;GOLD PTY LTD ;"]) expect(withoutPersons(text, none)).toBe(text)
})
