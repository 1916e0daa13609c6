import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { helpOf, readOptions, scenarioNamed } from './scenario.ts'
import { SCENARIOS } from './scenarios.ts'

const HELP = `npm run bench -- [NAME] [options]

Measures one of these, floor by default; npm run bench -- NAME --help tells more of it:

  ${Object.keys(SCENARIOS).join(', ')}`

const [first = '', ...rest] = process.argv.slice(2)
const isNamed = first !== '' && !first.startsWith('-')
const [given, args] = isNamed ? [first, rest] : ['floor', process.argv.slice(2)]

await runCommand(HELP, async () => {
  const name = scenarioNamed(SCENARIOS, given)
  const scenario = SCENARIOS[name]
  await runCommand(helpOf(name, scenario), async () => {
    const read = readOptions(scenario, args)
    if (read === null) return console.log(isNamed ? helpOf(name, scenario) : HELP)
    quietTemporal()
    const figures = await scenario.run(read.options, (what) => console.error(`... ${what}`))
    console.log(read.json ? JSON.stringify(figures, undefined, 2) : scenario.text(figures))
  })
})
