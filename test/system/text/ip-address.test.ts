/** Only addresses of the public internet count as public, however they are written. */
import { expect, test } from "bun:test"
import { isPrivateAddress, isPublicAddress } from "../../../src/system/text/ip-address.ts"

test.each(["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])(
  "The address %s is public",
  (address) => {
    expect(isPublicAddress(address)).toBe(true)
  },
)

test.each([
  "127.0.0.1",
  "0.0.0.0",
  "10.1.2.3",
  "172.16.0.1",
  "192.168.1.1",
  "169.254.169.254",
  "100.64.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "::1",
  "::",
  "fe80::1",
  "fd00::1",
  "::ffff:127.0.0.1",
  "::ffff:10.0.0.1",
  "64:ff9b::7f00:1",
  "2002:7f00:1::",
  "64:ff9b:1::7f00:1",
  "::ffff:0:127.0.0.1",
  "::127.0.0.1",
  "::7f00:1",
  "::ffff:7f00:1",
  "fec0::1",
  "fe80::1%eth0",
  "100:0:0:1::1",
  "4000::1",
  "2001:db8::1",
  "198.18.0.1",
  "240.0.0.1",
  "2130706433",
  "0x7f.1",
  "127.1",
  "not an address",
])("The address %s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false)
})

test.each(["10.1.2.3", "127.0.0.1", "::1", "fd00::1", "::ffff:192.168.1.1", "100.64.0.1"])(
  "The address %s is private",
  (address) => {
    expect(isPrivateAddress(address)).toBe(true)
  },
)

// Clouds give credentials to their machines at link-local addresses.
test.each([
  "169.254.169.254",
  "fe80::1",
  "0.0.0.0",
  "::",
  "255.255.255.255",
  "224.0.0.1",
  "8.8.8.8",
])("The address %s is not private", (address) => {
  expect(isPrivateAddress(address)).toBe(false)
})
