/** Reads the code samples of the guide, and runs them as a reader would. */
import { join } from "node:path"
import { memoized } from "../../../src/system/text/memoized.ts"
import { guideFile, userGuide } from "../../../src/web/pages/docs/pages.ts"
import { directoryOfFile } from "../../support/of-file.ts"
import { scratchDirectory } from "../../support/scratch.ts"

/** Stands for the address of the service in the files of the guide. */
export const placeholder = "https://mds.example.com"

const root = new URL("../../../", import.meta.url)

/** The pages for users of the API, whose samples run here. */
export const userPages = userGuide.map(({ name }) => name)

export const textOf = (page: string): Promise<string> =>
  Bun.file(new URL(guideFile(page), root)).text()

export interface Sample {
  page: string
  language: string
  code: string
}

export async function samplesOf(pages: readonly string[]): Promise<Sample[]> {
  const texts = await Promise.all(pages.map(textOf))
  return pages.flatMap((page, index) =>
    [...(texts[index] ?? "").matchAll(/^```(\w+)\n(.*?)^```$/gms)].map(
      ([, language = "", code = ""]) => ({ page, language, code }),
    ),
  )
}

const programs: Record<string, { file: string; command: string[] }> = {
  sh: { file: "sample.sh", command: ["bash", "-eu"] },
  python: { file: "sample.py", command: ["python3"] },
  ts: { file: "sample.ts", command: [process.execPath] },
  r: { file: "sample.R", command: ["Rscript", "--vanilla"] },
}

/** Programs in R take seconds to start: `copies.slow.test.ts` runs one. */
export const isRunnable = ({ language }: Sample): boolean =>
  language in programs && language !== "r"

const succeeds = (...command: string[]) => {
  try {
    return Bun.spawnSync(command).success
  } catch {
    return false
  }
}

const needs: Record<string, () => boolean> = {
  sh: () => succeeds("curl", "--version"),
  python: () => succeeds("python3", "-c", "import requests"),
  pandas: () => succeeds("python3", "-c", "import pandas, pyarrow"),
  ts: () => true,
  r: () => succeeds("Rscript", "-e", "library(httr2); library(jsonlite)"),
}

/** Asked once of each kind: to import the libraries of Python takes a second. */
const isThere = memoized((kind: string) => needs[kind]?.() ?? false)

/** Whether this machine has what the sample needs. */
export const isInstalled = ({ language, code }: Sample): boolean =>
  isThere(code.includes("import pandas") ? "pandas" : language)

interface Service {
  url: string
  token: string
}

/** A directory of the test file for samples to run in. Later samples find the files of earlier ones. */
export function workingDirectory() {
  const path = directoryOfFile(scratchDirectory)

  async function run({ language, code }: Sample, { url, token }: Service) {
    const program = programs[language]
    if (!program) throw new Error(`Cannot run ${language}`)
    await Bun.write(join(path, program.file), code.replaceAll(placeholder, url))
    const child = Bun.spawn([...program.command, program.file], {
      cwd: path,
      env: { PATH: process.env.PATH, HOME: path, MDS_TOKEN: token },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    })
    const [exitCode, output, errors] = await Promise.all([
      child.exited,
      new Response(child.stdout).text(),
      new Response(child.stderr).text(),
    ])
    return { exitCode, output, errors }
  }

  return {
    run,
    read: (file: string) => Bun.file(join(path, file)).text(),
  }
}
