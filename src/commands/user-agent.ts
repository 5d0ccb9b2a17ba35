import type { Config } from "../config.ts"

/** What requests to public servers say of who makes them. */
export async function userAgent({ BASE_URL }: Pick<Config, "BASE_URL">): Promise<string> {
  const { version } = await Bun.file(new URL("../../package.json", import.meta.url)).json()
  return `mds/${version}${BASE_URL === "" ? "" : ` (+${BASE_URL})`}`
}
