/** A session's browser is named in words that its owner recognises. */
import { expect, test } from "bun:test"
import { browserName } from "../../../src/web/pages/account/sessions.ts"

const webKit = "AppleWebKit/537.36 (KHTML, like Gecko)"

test.each([
  [`Mozilla/5.0 (X11; Linux x86_64) ${webKit} Chrome/140.0.0.0 Safari/537.36`, "Chrome on Linux"],
  [
    `Mozilla/5.0 (X11; Linux x86_64) ${webKit} HeadlessChrome/140.0.0.0 Safari/537.36`,
    "Chrome on Linux",
  ],
  [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${webKit} Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`,
    "Edge on Windows",
  ],
  [
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0",
    "Firefox on Windows",
  ],
  [
    "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15",
    "Safari on macOS",
  ],
  [
    "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/140.0 Mobile/15E148 Safari/604.1",
    "Chrome on iPhone",
  ],
  [
    `Mozilla/5.0 (Linux; Android 16; Pixel) ${webKit} SamsungBrowser/28.0 Chrome/140.0 Mobile Safari/537.36`,
    "Samsung Internet on Android",
  ],
  ["curl/8.5.0", "curl"],
  ["Mozilla/5.0 (X11; Linux x86_64)", "A browser on Linux"],
  ["", "Unknown browser"],
  ["<script>alert(1)</script>", "Unknown browser"],
])("The browser %s is shown as %s", (userAgent, name) => {
  expect(browserName(userAgent)).toBe(name)
})
