/**
 * A client is identified by an address that it cannot choose: its socket's, or the one that the
 * trusted proxies report, and by /64 for IPv6.
 */
import { describe, expect, test } from "bun:test"
import { clientAddress } from "../../../src/api/http/client-address.ts"

const SOCKET = "198.51.100.9"

describe("Without trusted proxies", () => {
  test("Without trusted proxies the header is ignored", () => {
    expect(clientAddress(SOCKET, "203.0.113.7", 0)).toBe(SOCKET)
  })

  test.each([
    ["an IPv4 address stays", "192.0.2.1", "192.0.2.1"],
    ["a mapped IPv4 address is the IPv4 address", "::ffff:1.2.3.4", "1.2.3.4"],
    ["so it is in hex", "::FFFF:0102:0304", "1.2.3.4"],
    ["and in full", "0:0:0:0:0:ffff:1.2.3.4", "1.2.3.4"],
    ["an IPv6 address is its /64", "2001:db8:a:b:1:2:3:4", "2001:db8:a:b::/64"],
    ["whatever the way it is written", "2001:0DB8:000A:000b::", "2001:db8:a:b::/64"],
    ["zeros in the middle are put back", "2001:db8::b:1:2:3:4", "2001:db8:0:b::/64"],
    ["a tail written as IPv4 counts as two groups", "1::2:3:4:5:1.2.3.4", "1:0:2:3::/64"],
    ["the loopback address", "::1", "0:0:0:0::/64"],
    ["a zone is dropped", "fe80::1%eth0", "fe80:0:0:0::/64"],
    ["what is no address stays as it is", "/run/mds.sock", "/run/mds.sock"],
    ["and so does nothing", "", ""],
  ])("%s", (_, socketAddress, expected) => {
    expect(clientAddress(socketAddress, null, 0)).toBe(expected)
  })
})

describe("Behind trusted proxies", () => {
  test.each([
    ["one proxy: the last entry", "203.0.113.7", 1, "203.0.113.7"],
    ["a forged prefix gains nothing", "1.1.1.1, 2.2.2.2, 203.0.113.7", 1, "203.0.113.7"],
    ["two proxies: the second from the right", "1.1.1.1, 203.0.113.7, 10.0.0.1", 2, "203.0.113.7"],
    ["spaces and tabs don't matter", "1.1.1.1 ,\t203.0.113.7\t,10.0.0.1", 2, "203.0.113.7"],
    ["forged commas gain nothing", ",,,,203.0.113.7", 1, "203.0.113.7"],
    ["a port is dropped", "203.0.113.7:51234", 1, "203.0.113.7"],
    ["brackets are dropped", "[2001:db8:1:2::3]", 1, "2001:db8:1:2::/64"],
    ["brackets, port and zone are dropped", "[fe80::3%en0]:443", 1, "fe80:0:0:0::/64"],
    ["a mapped address is IPv4", "::ffff:203.0.113.7", 1, "203.0.113.7"],
  ])("%s", (_, forwardedFor, trustedProxies, expected) => {
    expect(clientAddress(SOCKET, forwardedFor, trustedProxies)).toBe(expected)
  })

  test.each([
    ["no header", null, 1],
    ["an empty header", "", 1],
    ["fewer entries than proxies", "203.0.113.7", 2],
    ["far fewer entries than proxies", "203.0.113.7", 1_000],
    ["an empty entry in the place that counts", "203.0.113.7,", 1],
    ["an empty first entry in the place that counts", ",10.0.0.1", 2],
    ["nothing but commas", ",,,,", 3],
    ["a word", "unknown", 1],
    ["an obfuscated identifier", "_hidden", 1],
    ["a number out of range", "203.0.113.256", 1],
    ["an octal address", "0203.0.113.7", 1],
    ["two addresses in one entry", "203.0.113.7 203.0.113.8", 1],
    ["an address with something after it", "203.0.113.7\0", 1],
    ["an open bracket", "[2001:db8::1", 1],
    ["empty brackets", "[]:80", 1],
    ["a very long entry", "1".repeat(100_000), 1],
  ])("%s leaves the socket's address", (_, forwardedFor, trustedProxies) => {
    expect(clientAddress(SOCKET, forwardedFor, trustedProxies)).toBe(SOCKET)
  })

  test("An IPv6 address of the socket is reduced too", () => {
    expect(clientAddress("2001:db8:5:6::7", "unknown", 1)).toBe("2001:db8:5:6::/64")
  })
})
