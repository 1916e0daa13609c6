import { count, readArguments, UsageError } from '#local/commands/arguments.ts'

/** An option of a scenario; a number is a whole one above 0 unless `least` allows 0. */
interface Option<Value> {
  says: string
  default: Value
  least?: 0
  most?: number
}

/** One thing that is measured: what it is, how much of it, and how its figures are told to people. */
export interface Scenario<Options = unknown, Figures = unknown> {
  about: string
  options: { readonly [Name in keyof Options]: Option<Options[Name]> }
  run(options: Options, tell: (what: string) => void): Promise<Figures>
  text(figures: Figures): string
}

const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

/** Says what the scenario measures, and its options with their defaults. */
export function helpOf(name: string, { about, options }: Scenario): string {
  const rows = Object.entries<Option<unknown>>(options).map(([option, { says, default: usual }]) => [
    `--${flagOf(option)}${typeof usual === 'boolean' ? '' : typeof usual === 'number' ? ' N' : ' TEXT'}`,
    `${says}${usual === false ? '' : ` (${String(usual)})`}`,
  ])
  const lines = [...rows, ['--json', 'the figures as JSON']].map(
    ([flag, says]) => `  ${flag!.padEnd(18)} ${says}`,
  )
  return `npm run bench -- ${name} [options]\n\n${about}\n\n${lines.join('\n')}`
}

/** Reads the options of a scenario; null when help is asked for. Throws {@link UsageError}. */
export function readOptions<Options>(
  scenario: Scenario<Options>,
  args: string[],
): { options: Options; json: boolean } | null {
  const declared = Object.entries<Option<unknown>>(scenario.options)
  const values: Record<string, unknown> = readArguments({
    args,
    options: {
      ...Object.fromEntries(
        declared.map(([name, { default: usual }]) => [
          flagOf(name),
          { type: typeof usual === 'boolean' ? ('boolean' as const) : ('string' as const) },
        ]),
      ),
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  }).values
  if (values['help']) return null
  const read = ([name, option]: [string, Option<unknown>]): [string, unknown] => {
    const given = values[flagOf(name)]
    if (typeof given !== 'string') return [name, given ?? option.default]
    if (typeof option.default !== 'number') return [name, given]
    return [name, given === '0' && option.least === 0 ? 0 : count(flagOf(name), given, option.most)]
  }
  return { options: Object.fromEntries(declared.map(read)) as Options, json: values['json'] === true }
}

/** The scenario that the first word names. Throws {@link UsageError}. */
export function scenarioNamed<Name extends string>(
  scenarios: Readonly<Record<Name, unknown>>,
  name: string,
): Name {
  if (!Object.hasOwn(scenarios, name))
    throw new UsageError(`there is no ${name}, but ${Object.keys(scenarios).join(', ')}`)
  return name as Name
}
