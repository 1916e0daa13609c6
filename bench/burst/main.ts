import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { HELP, readBurstOptions } from './options.ts'
import { burstText } from './report.ts'
import { runBurst } from './run.ts'

await runCommand(HELP, async () => {
  const options = readBurstOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  quietTemporal()
  const burst = await runBurst(options, (what) => console.error(`... ${what}`))
  console.log(options.json ? JSON.stringify(burst, undefined, 2) : burstText(burst))
})
