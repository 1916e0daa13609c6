import { runCommand } from '#local/commands/arguments.ts'
import { HELP, readApiBenchOptions } from './options.ts'
import { apiReportOf, apiReportText } from './report.ts'
import { runApiBench } from './run.ts'

await runCommand(HELP, async () => {
  const options = readApiBenchOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  const timings = await runApiBench(options, (what) => console.error(`... ${what}`))
  const report = apiReportOf(options, timings)
  console.log(options.json ? JSON.stringify(report, undefined, 2) : apiReportText(report))
})
