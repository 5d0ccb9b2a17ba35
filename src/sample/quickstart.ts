/**
 * From a fresh checkout to a served API with sample data, a demo account and a token, in one
 * command.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { createTokenLookup } from "../accounts/access/credentials.ts"
import { hashSecret } from "../accounts/access/secret.ts"
import { issueLink, linkPath, validMinutes } from "../accounts/access/sign-in-links.ts"
import { issueToken } from "../accounts/access/tokens.ts"
import { type CommandDatabase, editorOf, openMigrated, usePool } from "../commands/database.ts"
import { newProgram, run } from "../commands/run.ts"
import { serve } from "../commands/serve.ts"
import { logToStderr, printCompleted } from "../commands/terminal.ts"
import { type Config, readConfig } from "../config.ts"
import { createReleases } from "../data/reader/releases.ts"
import { silent } from "../ingest/loading/progress.ts"
import { vacuumChanged } from "../ingest/loading/vacuum.ts"
import { loadSample } from "./load-sample.ts"
import { sampleData } from "./sample-data.ts"

const program = newProgram("quickstart", "serve sample data, with a demo account and token")

program.action(async () => {
  const config = readConfig(process.env)
  const database = await openMigrated(config)
  const prepared = await prepare(config, database)
  const { url } = await serve(config, database)
  await printCompleted(welcome(config.BASE_URL || url, prepared))
})

const email = "demo@example.com"

interface Prepared {
  token: string
  /** Of a one-time link of the demo account. */
  link: string
}

function prepare(config: Config, database: CommandDatabase): Promise<Prepared> {
  return usePool(database, async (pool) => {
    if ((await createReleases(pool).current()).id === 0) {
      logToStderr("Loading generated sample data")
      const { url } = database
      const { HOLDER_NAMES: holderNames } = config
      for (const loaded of await loadSample(sampleData(), { url, holderNames })) {
        await vacuumChanged(url, loaded, silent)
      }
    }
    const tokenFile = join(config.DATA_DIR, "quickstart-token")
    const kept = existsSync(tokenFile) ? readFileSync(tokenFile, "utf8").trim() : ""
    const link = () => issueLink(pool, email, new Date())
    if (kept && (await createTokenLookup(pool)(hashSecret(kept), null))) {
      return { token: kept, link: await link() }
    }
    const { value: token } = await issueToken(editorOf(config, database), {
      email,
      name: "quickstart",
      expiresAt: null,
    })
    // A token cannot be read from the database, and a second start should print the same one.
    mkdirSync(config.DATA_DIR, { recursive: true })
    writeFileSync(tokenFile, `${token}\n`, { mode: 0o600 })
    return { token, link: await link() }
  })
}

const welcome = (url: string, { token, link }: Prepared): string => `
Serving ${url}/api/v1

Sign in as ${email}. The link works once, within ${validMinutes} minutes:

  ${url}${linkPath(link)}

For another link, run this in a second terminal, in this directory:

  npx -y bun@${Bun.version} run mds account link ${email}

Send a request from a second terminal:

  export MDS_TOKEN=${token}
  curl -H "Authorization: Bearer $MDS_TOKEN" "${url}/api/v1/companies?sort=market_cap&order=desc&per_page=1"

Google Sheets needs a public address (BASE_URL):

  =IMPORTDATA("${url}/api/v1/tenements?state=WA&status=granted&format=csv&all=true&api_key=${token}")

README.md has every parameter, and shows how to load your own data and how to deploy.
Ctrl-C stops the service and keeps the data.
`

await run(program)
