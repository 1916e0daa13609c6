import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { HELP, readFloodOptions } from './options.ts'
import { floodText } from './report.ts'
import { runFlood } from './run.ts'

await runCommand(HELP, async () => {
  const options = readFloodOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  quietTemporal()
  const flood = await runFlood(options, (what) => console.error(`... ${what}`))
  console.log(options.json ? JSON.stringify(flood, undefined, 2) : floodText(flood))
})
