/** Redirects never lead to this machine or a private network, however the address is written. */
import { expect, test } from "bun:test"
import { fetchPublic } from "../../../src/ingest/fetching/public-address.ts"

test.each(["http://2130706433/", "http://localhost/", "http://[::ffff:127.0.0.1]/"])(
  "The client never connects to %s",
  async (address) => {
    const outcome = await fetchPublic(new URL(address), { headers: {} }).catch(String)
    expect(outcome).toContain("an address of a private network or of this machine")
  },
)
