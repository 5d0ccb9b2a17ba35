/** Every announcement has one group, by the words of its types or else of its title. */
import { expect, test } from "bun:test"
import { reportGroup } from "../../../src/data/resources/report-groups.ts"

test.each<[ReturnType<typeof reportGroup>, string]>([
  ["quarterly", "Third Quarter Activities Report; Third Quarter Cash Flow Report"],
  ["quarterly", "Quarterly Cash Flow Report - Other"],
  ["quarterly", "Commitments Test Entity - First Quarter Report"],
  ["annual", "Annual Report; Top 20 shareholders; Full Year Directors' Report"],
  ["annual", "Preliminary Final Report; Dividend Rate"],
  ["other", "Notice of Annual General Meeting; Proxy Form"],
  ["other", "Half Year Accounts; Half Year Directors' Report"],
  ["capital", "Appendix 2A"],
  ["capital", "Appendix 3B (Proposed issue of securities); Progress Report"],
  ["capital", "Placement; Trading Halt Lifted"],
  ["capital", "Non-Renounceable Issue; Letter to Shareholders"],
  ["capital", "Daily Share Buy-Back Notice"],
  ["director", "Change of Director's Interest Notice"],
  ["director", "CEO/Managing Director - Appointment Resignation"],
  ["director", "Chair Appointment/Resignation"],
  ["other", "Company Secretary Appointment/Resignation"],
  ["other", "Corporate Governance; Appendix 4G"],
  ["drilling", "progress report; ASSAYS"],
])("%s: the type %s", (group, type) => {
  expect(reportGroup(type, "Example Resources Limited")).toBe(group)
})

test.each<[ReturnType<typeof reportGroup>, string]>([
  ["drilling", "Drilling extends Example Hill"],
  ["drilling", "12m @ 4.5 g/t from surface"],
  ["resource", "Maiden Resource at Example Hill"],
  ["resource", "Annual Mineral Resources and Ore Reserves Statement"],
  ["resource", "JORC Resource Upgrade after drilling"],
  ["quarterly", "Quarterly Report to 30 June"],
  ["annual", "Annual Report to shareholders"],
  ["capital", "Capital raising completed"],
  ["director", "Resignation of a director"],
  ["other", "Example Resources Limited: presentation"],
])("%s: the title %s, with a type that names no group or without any", (group, title) => {
  expect(reportGroup("Progress Report", title)).toBe(group)
  expect(reportGroup("", title)).toBe(group)
})

test.each<[ReturnType<typeof reportGroup>, type: string, title: string]>([
  ["other", "Web Cast", "Quarterly Results Webcast"],
  ["other", "Notification of Results/Reporting Date", "June 2023 Quarterly Report Advisory"],
  ["other", "Web Cast; Third Quarter Activities Report", "Invitation to Q3 FY26 Results Webcast"],
  ["other", "Periodic Reports - Other", "Quarterly Results Conference Call Details"],
  ["quarterly", "Web Cast; Third Quarter Activities Report", "March 2025 Quarterly Report"],
])("%s: %s, %s: a quarterly report is no talk about it", (group, type, title) => {
  expect(reportGroup(type, title)).toBe(group)
})
