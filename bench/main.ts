import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { helpOf, readOptions, scenarioNamed, type Scenario } from './options.ts'
import { SCENARIOS } from './scenarios.ts'

const HELP = `npm run bench -- [NAME] [options]

Measures one of these, signal by default; npm run bench -- NAME --help describes it:

  ${Object.keys(SCENARIOS).join(', ')}`

const [first = '', ...rest] = process.argv.slice(2)
const isNamed = first !== '' && !first.startsWith('-')
const [given, args] = isNamed ? [first, rest] : ['signal', process.argv.slice(2)]

await runCommand(HELP, async () => {
  const name = scenarioNamed(SCENARIOS, given)
  const scenario: Scenario = SCENARIOS[name]
  const help = helpOf(name, scenario)
  await runCommand(help, async () => {
    const options = readOptions(scenario, args)
    if (options === null) return console.log(isNamed ? help : `${HELP}\n\n${help}`)
    quietTemporal()
    console.log(await scenario.run(options, (progress) => console.error(`... ${progress}`)))
  })
})
