/** The mail of an event has counts first, then records with links, and no value of them is markup or a header. */
import { expect, test } from "bun:test"
import { type AlertMail, alertMail, disabledMail } from "../../../src/accounts/alerts/alert-mail.ts"

const data = {
  watch: { id: 7, name: "Gold near E47" },
  release: 815,
  since_release: 812,
  list: "https://data.example.com/api/v1/tenements?state=WA",
  page_url: "https://data.example.com/explore/changes/tenements?state=WA&since=812&as_of=815",
}
const tenement = {
  id: "WA-E47-1234",
  tenement_id: "E47/1234",
  type: "exploration",
  status: "granted",
  holder_name: "ACME PTY LTD",
  expiry_date: "2031-05-16",
}
const given: AlertMail = {
  to: "analyst@example.com",
  watch: data.watch,
  words: "Tenements in Western Australia, holder contains “gold”",
  event: {
    type: "list.changed",
    timestamp: "2026-03-01T00:00:00Z",
    data: { ...data, changed: 4, removed: 1 },
  },
  records: {
    changed: [
      {
        ...tenement,
        asx_codes: ["BIG", "QUO"],
        geometry: "the digest of a shape",
        changed: ["holder_name", "asx_codes", "geometry"],
      },
      { ...tenement, id: "WA-M1/2", tenement_id: "M1/2", changed: ["added"] },
      {
        ...tenement,
        ...{ id: "NSW-1", tenement_id: "1", expiry_date: null, asx_codes: [] },
        changed: ["expiry_date", "asx_codes"],
      },
    ],
    removed: [{ ...tenement, id: "WA-P9", tenement_id: "P9" }],
  },
  unsubscribeUrl: "https://data.example.com/account/unsubscribe?token=x",
  baseUrl: "https://data.example.com",
}

test("A mail has the counts, then what changed in each record, then its links", () => {
  const { subject, text, html, unsubscribeUrl } = alertMail(given)
  expect(subject).toBe("Gold near E47: 4 added or changed, 1 removed")
  expect(unsubscribeUrl).toBe(given.unsubscribeUrl)
  expect(text).toBe(`4 added or changed, 1 removed
Tenements in Western Australia, holder contains “gold”

Added or changed, the first 3 of 4
- E47/1234: holder name now ACME PTY LTD · linked companies now BIG, QUO · shape
  https://data.example.com/explore/tenements/WA-E47-1234
- M1/2: new · exploration · granted · ACME PTY LTD · 2031-05-16
  https://data.example.com/explore/tenements/WA-M1%2F2
- 1: expiry date now unknown · linked companies now none
  https://data.example.com/explore/tenements/NSW-1

Removed
- P9: exploration · granted · ACME PTY LTD · 2031-05-16
  https://data.example.com/explore/tenements/WA-P9?as_of=812

Show everything that is new
  ${data.page_url}
Change the watch “Gold near E47”
  https://data.example.com/account/watches/7
Stop these mails
  https://data.example.com/account/unsubscribe?token=x
`)
  expect(html).toContain(
    '- <a href="https://data.example.com/explore/tenements/NSW-1">1: expiry date now unknown · linked companies now none</a><br>',
  )
  expect(html).toContain('since=812&amp;as_of=815">Show everything that is new</a>')
})

test("A mail has at most twenty records, and companies and announcements by name", () => {
  const company = { asx_code: "XMR", company_name: "EXAMPLE LTD", gics_industry_group: "Materials" }
  const report = {
    asx_code: "XMR",
    hash: "0f4c",
    title: "Assays",
    published_at: "2026-01-29T22:41:07Z",
  }
  const records = { changed: Array.from({ length: 19 }, () => company), removed: [report, company] }
  const { text } = alertMail({ ...given, records })
  expect(text.match(/^- XMR EXAMPLE LTD: Materials$/gm)).toHaveLength(19)
  expect(text).toContain(
    "- XMR Assays\n  https://data.example.com/explore/reports/0f4c?as_of=812\n\n",
  )
})

test("A mail names a subsidiary, and links to the list of its parent", () => {
  const subsidiary = {
    id: "XMR-EXAMPLE-GOLD",
    name: "EXAMPLE GOLD PTY LTD",
    parent_asx_code: "XMR",
    changed: ["ownership_percentage"],
    ownership_percentage: 60,
  }
  const { text } = alertMail({ ...given, records: { changed: [subsidiary] } })
  expect(text).toContain(
    "- EXAMPLE GOLD PTY LTD: ownership percentage now 60\n  https://data.example.com/explore/companies/XMR/subsidiaries\n",
  )
})

test("A mail tells how many of the expiry dates it leaves out, whose counts are one sum", () => {
  const event = { ...given.event, type: "list.expiring", data: { ...data, expiring: 35 } } as const
  const titlesWith = (expiring: number) => {
    const of = (length: number) => Array.from({ length }, () => tenement)
    const { text } = alertMail({
      ...given,
      event,
      records: { expiring: of(expiring), entered: of(20) },
    })
    return text.match(/^(Expiring|New in).*$/gm)
  }
  expect(titlesWith(0)).toEqual(["New in the list and expiring soon, the first 20 of 35"])
  expect(titlesWith(5)).toEqual([
    "Expiring soon",
    "New in the list and expiring soon, the first 15 of 30",
  ])
  expect(titlesWith(20)).toEqual(["Expiring soon, the first 20 of 35"])
})

test.each([
  [{ type: "list.expiring", data: { ...data, expiring: 1_234 } }, "1,234 expiring soon"],
  [
    {
      type: "record.changed",
      data: { ...data, changed: ["holder_name", "geometry"], removed: false },
    },
    "changed holder name, shape",
  ],
  [{ type: "record.changed", data: { ...data, changed: [], removed: true } }, "removed"],
  [
    {
      type: "release.published",
      data: { ...data, changed: { companies: 1, tenements: 40 }, removed: { tenements: 2 } },
    },
    "41 added or changed, 2 removed",
  ],
  [
    { type: "release.published", data: { ...data, changed: { companies: 0 }, removed: {} } },
    "no records changed",
  ],
  [
    { type: "list.changed", data: { ...data, resync: true } },
    "the changes cannot be counted, compare the whole list",
  ],
  [{ type: "test", data }, "this is a test"],
] as const)("The subject has the counts in words: %j", ({ type, data: given_ }, words) => {
  const event = { type, timestamp: "2026-03-01T00:00:00Z", data: given_ }
  expect(alertMail({ ...given, event, records: {} }).subject).toBe(`Gold near E47: ${words}`)
})

test("Names are no markup, and their line breaks and direction marks are removed", () => {
  const name = 'x\r\nBcc: a@b\u202e\u2028<img src=x onerror="alert(1)">&'
  const mail = alertMail({
    ...given,
    watch: { id: 7, name },
    words: name,
    records: {
      changed: [{ ...tenement, tenement_id: name, holder_name: name, changed: ["holder_name"] }],
    },
  })
  expect(mail.subject).toBe(
    'x Bcc: a@b <img src=x onerror="alert(1)">&: 4 added or changed, 1 removed',
  )
  expect(mail.html).not.toContain("<img")
  expect(mail.html).toContain("x Bcc: a@b &lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;")
  expect(mail.text).not.toMatch(/[\r\u202e\u2028]|\nBcc/)
})

test("The mail about a disabled watch has the reason and the way to resume it", () => {
  const mail = disabledMail("analyst@example.com", data.watch, "Connection refused", given.baseUrl)
  expect(mail.subject).toBe("Gold near E47: the watch is disabled")
  expect(mail.text).toContain("failed: Connection refused. After you resume")
  expect(mail.text).toContain("https://data.example.com/account/watches/7")
})
