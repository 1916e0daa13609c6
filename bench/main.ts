import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { HELP, readBenchOptions, UsageError } from './options.ts'
import { reportOf, reportText } from './report.ts'
import { runBench } from './run.ts'

async function main(): Promise<void> {
  const options = readBenchOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  quietTemporal()
  const report = reportOf(await runBench(options, (what) => console.error(`... ${what}`)))
  console.log(options.json ? JSON.stringify(report, undefined, 2) : reportText(report))
}

try {
  await main()
} catch (error) {
  if (!(error instanceof UsageError)) throw error
  console.error(`${error.message}\n\n${HELP}`)
  process.exitCode = 2
}
