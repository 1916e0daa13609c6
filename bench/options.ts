import { parseArgs } from 'node:util'
import { UsageError } from '#local/commands/arguments.ts'

export interface Option<Value> {
  says: string
  usual: string
  /** Throws {@link UsageError} in words that follow the flag. */
  read(text: string): Value
}

export interface Scenario<Options = unknown> {
  about: string
  options: { readonly [Name in keyof Options]: Option<Options[Name]> }
  run(options: Options, report: (progress: string) => void): Promise<string>
}

export const numberOption = (
  says: string,
  usual: number,
  { least = 1, most = 100_000 } = {},
): Option<number> => ({
  says,
  usual: String(usual),
  read(text) {
    const value = Number(text)
    if (text.trim() === '' || !Number.isInteger(value) || value < least || value > most)
      throw new UsageError(`must be a whole number from ${least} to ${most}, not "${text}"`)
    return value
  },
})

const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

export function helpOf(name: string, { about, options }: Scenario): string {
  const lines = Object.entries<Option<unknown>>(options).map(
    ([option, { says, usual }]) => `  ${`--${flagOf(option)}`.padEnd(14)} ${says} (${usual})`,
  )
  return `npm run bench -- ${name} [options]\n\n${about}\n\n${lines.join('\n')}`
}

/** Reads the options of a scenario; null for --help. Throws one {@link UsageError} that names every fault. */
export function readOptions<Options>(scenario: Scenario<Options>, args: string[]): Options | null {
  const declared = Object.entries<Option<unknown>>(scenario.options)
  const known = new Map(declared.map(([name, option]) => [flagOf(name), { name, option }]))
  const { tokens } = parseArgs({
    args,
    options: Object.fromEntries([...known.keys()].map((flag) => [flag, { type: 'string' as const }])),
    strict: false,
    tokens: true,
  })
  const given: Record<string, string> = {}
  const faults: string[] = []
  for (const token of tokens) {
    if (token.kind === 'positional') faults.push(`"${token.value}" is no option`)
    if (token.kind !== 'option') continue
    if (token.name === 'help' || token.name === 'h') return null
    const found = known.get(token.name)
    if (!found) faults.push(`there is no ${token.rawName}`)
    else if (token.value === undefined) faults.push(`${token.rawName} needs a value`)
    else given[found.name] = token.value
  }
  const options: Record<string, unknown> = {}
  for (const [name, option] of declared)
    try {
      options[name] = option.read(given[name] ?? option.usual)
    } catch (error) {
      if (!(error instanceof UsageError)) throw error
      faults.push(`--${flagOf(name)} ${error.message}`)
    }
  if (faults.length > 0) throw new UsageError(faults.join('\n'))
  return options as Options
}

/** Scenario of this name. Throws {@link UsageError}. */
export function scenarioNamed<Name extends string>(
  scenarios: Readonly<Record<Name, unknown>>,
  name: string,
): Name {
  if (!Object.hasOwn(scenarios, name))
    throw new UsageError(`there is no scenario "${name}", only ${Object.keys(scenarios).join(', ')}`)
  return name as Name
}
