/** The programs of the guide's page of watches accept what the service sends and nothing else. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { subjectOf } from "../../../src/accounts/alerts/watch.ts"
import { deliver, newSecret, sign } from "../../../src/accounts/alerts/webhook.ts"
import { afterFile, directoryOfFile } from "../../support/of-file.ts"
import { freePort } from "../../support/supervised.ts"
import { until } from "../../support/until.ts"
import { samplesOf } from "./samples.ts"

const samples = await samplesOf(["watches"])
const codeIn = (language: string) => samples.find((each) => each.language === language)?.code ?? ""

const directory = directoryOfFile()
const secret = newSecret()
const id = "msg_1"
const body = JSON.stringify({
  type: "list.changed",
  data: { watch: { id: 1, name: "Near us" }, release: 4, page_url: "https://mds.example.com/" },
})

test("The commands of the page watch valid lists", () => {
  const lists = [...codeIn("console").matchAll(/--list "([^"]+)"(?: --expiring (\d+))?/g)]
  const subjects = lists.map(([, list, days]) =>
    subjectOf({ list, ...(days && { expiring: Number(days) }) }),
  )
  expect(subjects.map(({ kind }) => kind)).toEqual(["list", "expiry", "list"])
})

test("The relay posts genuine events to the chat, and rejects others", async () => {
  const posted: unknown[] = []
  const chat = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      posted.push(await request.json())
      return new Response()
    },
  })
  afterFile(() => chat.stop(true))
  const port = freePort()
  const file = join(directory, "relay.ts")
  await Bun.write(file, codeIn("typescript"))
  const relay = Bun.spawn([process.execPath, file], {
    env: { WEBHOOK_SECRET: secret, CHAT_URL: `${chat.url}`, PORT: `${port}` },
  })
  afterFile(() => relay.kill())
  const settings = { WEBHOOK_PRIVATE: true, WEBHOOK_PROXY: null }
  const send = (secrets: string[], now = new Date()) =>
    deliver({ url: `http://127.0.0.1:${port}/`, secrets, id, body }, { now: () => now, settings })
  await until(async () => (await send([newSecret()])).status === 400)
  expect(await send([secret], new Date(0))).toMatchObject({ status: 400 })
  expect(posted).toEqual([])
  expect(await send([newSecret(), secret])).toMatchObject({ status: 204, reason: null })
  const text = "Near us: list.changed at release 4 https://mds.example.com/"
  expect(posted).toEqual([{ text }])
})

const timestamp = Math.floor(Date.now() / 1000)
const signature = sign(secret, id, timestamp, body)

test.skipIf(!Bun.which("python3"))("The function in Python accepts only a genuine event", () => {
  const headers = {
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": `${sign(newSecret(), id, timestamp, body)} ${signature}`,
  }
  const calls = [body, `${body} `].map(
    (sent) =>
      `print(is_genuine(${JSON.stringify(secret)}, ${JSON.stringify(headers)}, ${JSON.stringify(sent)}.encode()))`,
  )
  const { stdout } = Bun.spawnSync(["python3", "-c", [codeIn("python"), ...calls].join("\n")])
  expect(stdout.toString()).toBe("True\nFalse\n")
})

test.skipIf(!Bun.which("openssl"))("The command by hand prints the signature", async () => {
  await Bun.write(join(directory, "body.json"), body)
  const { stdout } = Bun.spawnSync(["bash", "-eu", "-c", codeIn("bash")], {
    cwd: directory,
    env: { PATH: process.env.PATH, WEBHOOK_SECRET: secret, ID: id, TIMESTAMP: `${timestamp}` },
  })
  expect(`v1,${stdout.toString().trim()}`).toBe(signature)
})
