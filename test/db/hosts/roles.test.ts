/** Which host is the primary, by what all of them report, also when two believe to be one. */
import { describe, expect, test } from "bun:test"
import { isStandby, type KnownHost, primaryOf } from "../../../src/db/hosts/roles.ts"

interface Reported {
  standby?: boolean
  timeline?: number
  system?: string
  lost?: boolean
}

const hostOf = ({ standby = false, timeline = 1, system = "A", lost = false }: Reported = {}) =>
  ({
    report: {
      release: { id: 1, publishedAt: 1 },
      isInRecovery: standby,
      isPooled: false,
      cluster: { system, timeline, position: 1 },
    },
    outage: lost ? { cause: new Error("lost") } : undefined,
  }) satisfies KnownHost

const silent: KnownHost = { report: undefined, outage: { cause: new Error("never heard of") } }
const unknown: KnownHost = { report: undefined, outage: undefined }

/** The number of the primary among the hosts, the first of which was it before. */
const found = (...hosts: [KnownHost, ...KnownHost[]]): number | undefined => {
  const primary = primaryOf(hosts, hosts[0])
  return primary && hosts.indexOf(primary)
}

describe("the primary is", () => {
  const standby = hostOf({ standby: true })
  test.each<[string, KnownHost[], number | undefined]>([
    ["the only one that is not in recovery", [standby, hostOf(), standby], 1],
    ["the one that it was, of two on a timeline", [hostOf(), hostOf()], 0],
    ["the one that was promoted", [hostOf({ lost: true }), hostOf({ timeline: 2 })], 1],
    ["of two the one on the higher timeline", [hostOf(), hostOf({ timeline: 2 })], 1],
    [
      "none that is of another cluster",
      [hostOf({ lost: true }), hostOf({ system: "B" })],
      undefined,
    ],
    ["none while there are standbys alone", [hostOf({ lost: true }), standby], undefined],
    [
      "none that came back, while the promoted one is gone",
      [hostOf(), hostOf({ timeline: 2, lost: true })],
      undefined,
    ],
    [
      "none that a standby shows to be outdated",
      [hostOf(), hostOf({ standby: true, timeline: 2 })],
      undefined,
    ],
    ["the one that is there although the first has never answered", [silent, hostOf()], 1],
    ["the one that it was, if it answers without a report", [unknown, standby], 0],
    ["none where none answers", [silent, silent], undefined],
  ])("%s", (_, hosts, expected) => {
    expect(found(...(hosts as [KnownHost, ...KnownHost[]]))).toBe(expected)
  })
})

test("a host is a standby of a cluster while it answers, is in recovery and belongs to it", () => {
  expect(isStandby(hostOf({ standby: true }), "A")).toBe(true)
  expect(isStandby(hostOf(), "A")).toBe(false)
  expect(isStandby(hostOf({ standby: true, lost: true }), "A")).toBe(false)
  expect(isStandby(hostOf({ standby: true, system: "B" }), "A")).toBe(false)
  expect(isStandby(unknown, "A")).toBe(false)
})
