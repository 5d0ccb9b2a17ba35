/** Only addresses of the public internet count as public, however they are written. */
import { expect, test } from "bun:test"
import { fetchPublic, isPublicAddress } from "../../../src/ingest/fetching/public-address.ts"

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

test.each([
  "http://2130706433/",
  "http://0x7f.1/",
  "http://0177.0.0.1/",
  "http://127.1/",
  "http://0/",
  "http://[::1]/",
  "http://[::ffff:127.0.0.1]/",
  "http://[::127.0.0.1]/",
  "http://[64:ff9b::7f00:1]/",
])("The client never connects to %s", async (address) => {
  const outcome = await fetchPublic(new URL(address), { headers: {} }).catch(
    (error: unknown) => error,
  )
  expect(String(outcome)).toContain("an address of a private network or of this machine")
})
