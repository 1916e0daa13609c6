import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { reportOf, type BenchReport } from '../report.ts'
import type { BenchOptions } from '../rounds.ts'
import { runBench } from '../run.ts'
import { cpuChart, ratioChart } from './charts.ts'
import { reportPage } from './page.ts'

/** What a published report is made of, and the folder it goes to. */
export interface PublishOptions extends BenchOptions {
  /** How often the whole benchmark runs. */
  runs: number
  to: string
}

/** Measures, and writes page, charts and figures. Returns the path of the page. */
export async function publish(
  { runs: times, to, ...options }: PublishOptions,
  tell: (what: string) => void,
): Promise<string> {
  const runs: BenchReport[] = []
  for (let run = 1; run <= times; run += 1)
    runs.push(reportOf(await runBench(options, (what) => tell(`run ${run} of ${times}: ${what}`))))
  const files = {
    'README.md': reportPage(runs),
    'ratios.svg': ratioChart(runs),
    'cpu.svg': cpuChart(runs),
    'figures.json': `${JSON.stringify({ runs }, undefined, 2)}\n`,
  }
  mkdirSync(to, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(to, name), text)
  return join(to, 'README.md')
}
