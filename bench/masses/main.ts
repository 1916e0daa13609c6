import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { HELP, readMassesOptions } from './options.ts'
import { massesText } from './report.ts'
import { runMasses } from './run.ts'

await runCommand(HELP, async () => {
  const options = readMassesOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  quietTemporal()
  const masses = await runMasses(options, (what) => console.error(`... ${what}`))
  console.log(options.json ? JSON.stringify(masses, undefined, 2) : massesText(masses))
})
