/** A load in a process of its own, for a test to kill: `bun loader-process.ts URL SOURCE FILE [OBSERVED]`. */
import { load } from "../../../src/ingest/loading/load.ts"
import { sourceNamed } from "../../../src/ingest/sources/catalogue.ts"

const [url = "", name = "", file = "", observed] = process.argv.slice(2)
const source = sourceNamed(name)
if (typeof source === "string") throw new Error(source)
await load({ url, source, files: [file], ...(observed && { observed }) })
