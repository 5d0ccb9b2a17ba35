/** Declares commands as values, from which commander makes help, suggestions and usage errors. */
import { Argument, type Command, InvalidArgumentError, Option } from "commander"
import { type Config, readConfig } from "../config.ts"
import { printResult } from "./terminal.ts"

/** An argument or an option. */
export interface CommandParameter<Value> {
  of: (name: string) => Argument | Option
  /** Never set: it has the type of the parsed value. */
  value?: Value
}

/** Throws an error with a message for the user. `previous` is the value of an earlier text of the same parameter. */
type Parse<Value> = (text: string, previous?: Value) => Value

/** @param form `*` is its name */
export const argument = <V>(parse: Parse<V>, help = "", form = "<*>"): CommandParameter<V> => ({
  of: (name) => new Argument(form.replace("*", name), help).argParser(reportingUsage(parse)),
})

export const flag = (help: string): CommandParameter<boolean | undefined> => ({
  of: (name) => new Option(`--${kebab(name)}`, help),
})

export const option = <V>(
  value: string,
  help: string,
  parse: Parse<V>,
): CommandParameter<V | undefined> => required(value, help, parse, false)

export const required = <V>(
  value: string,
  help: string,
  parse: Parse<V>,
  isMandatory = true,
): CommandParameter<V> => ({
  of: (name) =>
    new Option(`--${kebab(name)} ${value}`, help)
      .argParser(reportingUsage(parse))
      .makeOptionMandatory(isMandatory),
})

const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Without it an error would end the program with a stack trace. */
const reportingUsage =
  <Value>(parse: Parse<Value>): Parse<Value> =>
  (text, previous) => {
    try {
      return parse(text, previous)
    } catch (error) {
      throw new InvalidArgumentError(error instanceof Error ? error.message : String(error))
    }
  }

/** A parser of parameters that may be given several times. */
export const append = (text: string, others: readonly string[] = []): readonly string[] =>
  others.concat(text)

export const integerParameter =
  (least: number, most: number) =>
  (text: string): number => {
    const value = Number(text)
    if (/^(0|[1-9]\d*)$/.test(text) && value >= least && value <= most) return value
    throw new Error(`Must be an integer from ${least} to ${most}.`)
  }

export const choiceParameter =
  <Choice extends string>(choices: readonly Choice[]) =>
  (text: string): Choice => {
    const chosen = choices.find((choice) => choice === text)
    if (chosen !== undefined) return chosen
    throw new Error(`Allowed choices are ${choices.join(", ")}.`)
  }

export interface Invocation {
  config: Config
  environment: NodeJS.ProcessEnv
  /** `--json`, of commands that have it. */
  json: boolean
  /** `--debug` */
  debug: boolean
}

/** Adds a command or a group of commands of this name to its parent. */
export type Declared = (parent: Command, name: string, environment: NodeJS.ProcessEnv) => void

interface Declaration<Values> {
  help: string
  parameters?: { readonly [Name in keyof Values]: CommandParameter<Values[Name]> }
  /** Shown below the options. */
  details?: string
  hasJson?: boolean
  run: (values: Values, invocation: Invocation) => Promise<unknown>
}

export const command =
  <Values extends object>({ help, parameters, run, ...more }: Declaration<Values>): Declared =>
  (parent, name, environment) => {
    const added = parent.command(name).description(help)
    const positional: string[] = []
    for (const [key, { of }] of Object.entries<CommandParameter<unknown>>(parameters ?? {})) {
      const made = of(key)
      if (made instanceof Option) added.addOption(made)
      else {
        added.addArgument(made)
        positional.push(key)
      }
    }
    if (more.hasJson) added.option("--json", "print the result as JSON")
    if (more.details !== undefined) added.addHelpText("after", `\n${more.details}`)
    added.action(async () => {
      const given = positional.map((key, index) => [key, added.processedArgs[index]])
      const values = Object.assign(added.opts<Values>(), Object.fromEntries(given))
      const { json = false, debug = false } = added.optsWithGlobals()
      await run(values, { config: readConfig(environment), environment, json, debug })
    })
  }

/** A command that reads something and prints it as text or, with `--json`, as it is. */
export const reading = <Values extends object, Result>({
  read,
  text,
  ...declaration
}: Omit<Declaration<Values>, "run"> & {
  read: (values: Values, invocation: Invocation) => Promise<Result>
  text: (result: Result) => string
}): Declared =>
  command<Values>({
    ...declaration,
    hasJson: true,
    run: async (values, invocation) => {
      const result = await read(values, invocation)
      await printResult(invocation.json ? JSON.stringify(result) : text(result))
    },
  })

export const group =
  (help: string, commands: Readonly<Record<string, Declared>>): Declared =>
  (parent, name, environment) => {
    const added = parent.command(name).description(help)
    for (const [member, add] of Object.entries(commands)) add(added, member, environment)
  }
