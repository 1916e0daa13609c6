import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runCommand } from '#local/commands/arguments.ts'
import { quietTemporal } from '#test/support/temporal-runtime.ts'
import { reportOf, type BenchReport } from '../report.ts'
import { runBench } from '../run.ts'
import { cpuChart, ratioChart } from './charts.ts'
import { reportPage } from './page.ts'
import { HELP, readPublishOptions } from './options.ts'
import { PEER } from './peer.ts'

const USUAL_CONCURRENCY = 20

await runCommand(HELP, async () => {
  const options = readPublishOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  quietTemporal()
  const { signals, warmUp } = options
  const measure = async (concurrency: number, run: string): Promise<BenchReport> =>
    reportOf(await runBench({ signals, concurrency, warmUp }, (what) => console.error(`${run}: ${what}`)))

  const runs: BenchReport[] = []
  for (let run = 1; run <= options.runs; run += 1)
    runs.push(await measure(USUAL_CONCURRENCY, `run ${run} of ${options.runs}`))
  const crowded = await measure(PEER.concurrency, `run with ${PEER.concurrency} at once`)

  const files = {
    'README.md': reportPage(runs, crowded),
    'ratios.svg': ratioChart(runs),
    'cpu.svg': cpuChart(runs),
    'figures.json': `${JSON.stringify({ runs, crowded }, undefined, 2)}\n`,
  }
  mkdirSync(options.to, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(options.to, name), text)
  console.log(`The report is in ${join(options.to, 'README.md')}.`)
})
