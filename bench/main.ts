import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { runClusterBench } from './cluster/run.ts'
import { clusterText } from './cluster/report.ts'
import { HELP, readBenchOptions } from './options.ts'
import { reportOf, reportText } from './report.ts'
import { runBench } from './run.ts'
import { tracesText } from './traces/report.ts'
import { runTracesBench } from './traces/run.ts'

await runCommand(HELP, async () => {
  const options = readBenchOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  quietTemporal()
  const tell = (what: string): void => console.error(`... ${what}`)
  if (options.subject === 'traces') return console.log(tracesText(await runTracesBench(options, tell)))
  if (options.subject === 'cluster') return console.log(clusterText(await runClusterBench(options, tell)))
  const report = reportOf(await runBench(options, tell))
  console.log(options.json ? JSON.stringify(report, undefined, 2) : reportText(report))
})
