/** Delivers a test event to the URL in its arguments, and prints the outcome: for a process with another environment. */
import { deliver, newSecret } from "../../../src/accounts/alerts/webhook.ts"

const [url = "", proxy] = process.argv.slice(2)
const outcome = await deliver(
  { url, secrets: [newSecret()], id: "msg_1", body: "{}" },
  {
    now: () => new Date(),
    settings: { WEBHOOK_PRIVATE: true, WEBHOOK_PROXY: proxy ?? null },
    resolve: async () => [{ address: "127.0.0.1", family: 4 }],
  },
)
process.stdout.write(JSON.stringify(outcome))
