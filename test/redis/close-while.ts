/** For connection.slow.test.ts: closes a connection in a given state, and ends if nothing else runs. */
import { connectRedis, redisScript } from "../../src/redis/connection.ts"

const [state, url = "", pid = ""] = process.argv.slice(2)
const connection = connectRedis({
  url,
  answerWithinMs: 600_000,
  onLost: () => {},
  onBack: () => {},
})
if (state !== "connecting") await connection.ready
if (state === "calling") process.kill(Number(pid), "SIGSTOP")
const called = connection.run(redisScript("return 1"), "mds:x")
if (state === "answering") await called
connection.close()
await called
process.stdout.write("closed\n")
// Does not keep the process running itself, and ends before any attempt to connect ends or begins.
setTimeout(() => process.stdout.write("still running\n"), 250).unref()
