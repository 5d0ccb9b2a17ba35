/** A real Chromium for a test file, in which each test is a new visitor whose every fault is recorded. */
import { expect } from "bun:test"
import { type BrowserContext, chromium } from "playwright-core"
import { installedProgram } from "./supervised.ts"

const program = installedProgram("chromium", "chromium-browser", "google-chrome")

/** For `describe.skipIf(!browserIsInstalled)`. */
export const browserIsInstalled = program !== null

export interface VisitorOptions {
  /** Of the window, in CSS pixels. */
  width?: number
  scheme?: "light" | "dark"
  /** Whether the pages' scripts run; what a test evaluates does in either case. */
  javaScript?: boolean
  hasTouch?: boolean
}

export type TestBrowser = Awaited<ReturnType<typeof startBrowser>>
/** Someone with a browser profile of their own. `await using` closes it. */
export type Visitor = Awaited<ReturnType<TestBrowser["visitor"]>>

/** Other hosts are not even resolved; requests to them are still recorded. */
const launchArguments = [
  "--disable-gpu",
  "--disable-quic",
  "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
]

/**
 * Starts one for the service at `url`. Call it in `beforeAll`.
 * @param others of which the pages may ask for something
 */
export async function startBrowser(url: string, ...others: string[]) {
  const browser = await chromium.launch({
    executablePath: program ?? "chromium",
    args: launchArguments,
  })
  return {
    visitor: async ({
      width = 1240,
      scheme = "light",
      javaScript = true,
      hasTouch = false,
    }: VisitorOptions = {}) => {
      const context = await browser.newContext({
        baseURL: url,
        colorScheme: scheme,
        javaScriptEnabled: javaScript,
        hasTouch,
        permissions: ["clipboard-read", "clipboard-write"],
        reducedMotion: "reduce",
        viewport: { width, height: 800 },
      })
      const faults = await recordFaults(context, [url, ...others])
      const page = await context.newPage()
      return {
        context,
        page,
        /** @param session the value of the session's cookie */
        signIn: (session: string) => {
          // The prefix needs HTTPS here, although a server on loopback may set such a cookie.
          const secureUrl = url.replace(/^http:/, "https:")
          const name = "__Host-session"
          return context.addCookies([{ name, value: session, url: secureUrl, httpOnly: true }])
        },
        /** Opens a path of the service, which must respond with this status. */
        visit: async (path: string, status = 200) => {
          const response = await page.goto(path)
          expect([path, response?.status()]).toEqual([path, status])
        },
        /**
         * Fails on what no page may do: write to the console, throw, violate the policy of its content, ask
         * another host for anything, or miss a file. Fails but once for each.
         */
        assertClean: async () => {
          // Earlier reports of the pages arrive before its response.
          for (const page of context.pages()) await page.evaluate("0")
          expect(faults()).toEqual([])
        },
        [Symbol.asyncDispose]: () => context.close(),
      }
    },
    /** For `afterAll`. */
    stop: () => browser.close(),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

/** Returns what takes the faults since it was last called. */
async function recordFaults(context: BrowserContext, urls: string[]): Promise<() => string[]> {
  const recorded: { fault: string; of: string }[] = []
  /** Pages with an error status, which the browser reports as missing files. */
  const refusals = new Set<string>()
  const record = (fault: string, of: string): void => {
    recorded.push({ fault, of })
  }
  context.on("console", (message) => {
    const { url } = message.location()
    record(`${message.type()} on the console of ${url}: ${message.text()}`, url)
  })
  context.on("weberror", (error) => record(`thrown: ${error.error()}`, ""))
  context.on("request", (request) => {
    const { protocol, origin } = new URL(request.url())
    const isLocal =
      urls.some((url) => origin === new URL(url).origin) || ["data:", "blob:"].includes(protocol)
    if (!isLocal) record(`request to ${request.url()}`, "")
  })
  context.on("requestfailed", (request) => {
    const reason = request.failure()?.errorText ?? ""
    // A request that its page gave up, and a link that became a download.
    if (reason !== "net::ERR_ABORTED") record(`${reason} at ${request.url()}`, "")
  })
  context.on("response", (response) => {
    const isRefusal = response.status() >= 400 && response.status() < 500
    if (isRefusal && response.request().isNavigationRequest()) refusals.add(response.url())
  })
  await context.exposeBinding("recordViolation", ({ page }, violation: string) =>
    record(`${page.url()} violates its policy: ${violation}`, ""),
  )
  await context.addInitScript(`
    addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
      recordViolation([violatedDirective, blockedURI, sample].join(" "))
    })
  `)
  return () =>
    recorded
      .splice(0)
      .filter(({ fault, of }) => !(fault.includes("Failed to load resource") && refusals.has(of)))
      .map(({ fault }) => fault)
}
