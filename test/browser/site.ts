/** The service of the browser tests, which mails links, and signed-in visitors. */
import { issueToken } from "../../src/accounts/access/tokens.ts"
import { createWatch } from "../../src/accounts/alerts/create-watch.ts"
import { subjectOf } from "../../src/accounts/alerts/watch.ts"
import type { Visitor } from "../support/browser.ts"
import { mailServer } from "../support/mail-server.ts"
import { type TestService, testService } from "../support/service.ts"
import { freePort } from "../support/supervised.ts"
import { signedInByLink } from "../web/pages/visitor.ts"
import type { PageExample, Who } from "./pages.ts"

export type Site = Awaited<ReturnType<typeof startSite>>

export async function startSite() {
  const mail = mailServer()
  const port = freePort()
  const service = await testService({
    // Browsers have a clock too, and so has the database.
    now: new Date(),
    settings: {
      PORT: String(port),
      BASE_URL: `http://127.0.0.1:${port}`,
      SIGNUP: "open",
      SMTP_URL: mail.url,
      MAIL_FROM: "data@example.com",
    },
  })
  await use(service)
  await nameFiles(service)
  await age(service)
  const watch = await watched(service)
  const [ids] = await service.sql<[{ token: number }]>`
    select tokens.id::int as token
    from accounts join tokens on account_id = accounts.id and revoked_at is null
    where email = 'standard@example.com' limit 1`
  return {
    service,
    /** The path of an example here. */
    pathOf: ({ path }: Pick<PageExample, "path">): string =>
      path.replace("{token}", `${ids.token}`).replace("{watch}", `${watch}`),
    signIn: async (visitor: Visitor, who: Who) => {
      if (who === "nobody") return
      const { jar } = await signedInByLink(service, `${who}@example.com`)
      await visitor.signIn(jar.cookie ?? "")
    },
    stop: async () => {
      await service.stop()
      mail.stop()
    },
  }
}

/** Fills the pages about use: with long names, and with requests that went well and that did not. */
async function use({ editor, issue, revoke, get, tokens, clock }: TestService): Promise<void> {
  const email = "standard@example.com"
  const { value } = await issueToken(editor, {
    email,
    name: "Valuation of the gold tenements of Western Australia, for the board (quarterly).xlsx",
    expiresAt: new Date(clock.now.getTime() + 30 * 86_400_000),
  })
  await revoke(await issue(email))
  const filters = "state=WA&status=granted&holder=aardvark+minerals&format=csv&all=true"
  await get(`/tenements?${filters}`, { token: value })
  for (const path of ["/companies", "/companies/BIG", "/reports/none", "/tenements?state=nope"]) {
    await get(path, { token: tokens.standard })
  }
}

/** Makes a watch by a webhook with a failed and a successful delivery. @returns its id */
async function watched({ editor, sql, clock }: TestService): Promise<number> {
  const { value } = await createWatch(editor, {
    email: "standard@example.com",
    name: "Granted tenements around Kalgoorlie that expire or change hands, for the board (quarterly)",
    subject: subjectOf({
      list: "/tenements?near=-30.75,121.47,50&status=granted&changed=holder_name",
    }),
    channel: {
      kind: "webhook",
      url: "https://hooks.example.com/services/T0/B0/a-long-path-of-a-receiver",
    },
    now: clock.now,
  })
  await sql`insert into deliveries (watch_id, event_id, type, at, release, attempt, is_ok, status, reason, ms)
    select ${value.id}, gen_random_uuid(), 'list.changed', now(), 1, attempt, attempt = 2,
      case attempt when 1 then 500 else 204 end, case attempt when 1 then 'The receiver returned 500' end, 41.6
    from generate_series(1, 2) as attempt`
  return value.id
}

/** Gives the explorer a tenement past its expiry date, and a company a possible holder. */
async function age({ sql }: TestService): Promise<void> {
  await sql`update tenements set expiry_date = '2020-01-01' where id = 'WA-E47-1235'`
  const suggestion = {
    holder: { name: "APOSTROPHE FIRST (NORTH) PTY LTD", tenements: 1_234 },
    reason: "place in brackets",
    similarName: "'Apostrophe First",
  }
  await sql`insert into suggested_links values (1, 'KEY', 'Holder', 'APO', ${sql.json(suggestion)})`
}

/** Gives the overview a source whose files have long names, as registers have. */
async function nameFiles({ sql }: TestService): Promise<void> {
  const files = ["licences", "licence_applications", "leases"].map((kind) => ({
    name: `mineral_and_or_opal_exploration_${kind}_of_the_whole_state_2026-01-31.geojson`,
  }))
  await sql`update releases set source = 'sa', manifest = ${sql.json({ files })}`
  await sql`
    insert into sources (name, resource, last_loaded_at, last_observed_at, last_outcome, last_release)
    values ('sa', 'tenements', now(), now(), 'published', 1)`
}
