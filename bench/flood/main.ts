import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { besideText } from './beside-report.ts'
import { runBeside } from './beside.ts'
import { HELP, readFloodOptions } from './options.ts'
import { floodText } from './report.ts'
import { runFlood } from './run.ts'

const tell = (what: string) => console.error(`... ${what}`)

await runCommand(HELP, async () => {
  const options = readFloodOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  quietTemporal()
  const print = <Figures>(figures: Figures, text: (figures: Figures) => string) =>
    console.log(options.json ? JSON.stringify(figures, undefined, 2) : text(figures))
  if ('by' in options) print(await runBeside(options, tell), besideText)
  else print(await runFlood(options, tell), floodText)
})
