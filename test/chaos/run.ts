import { cpSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand } from '#local/commands/arguments.ts'
import type { Stack } from '#test/support/stack.ts'
import { runChaos, type ChaosProgress, type ChaosReport } from './chaos.ts'
import { HELP, readChaosOptions, type ChaosOptions } from './options.ts'
import { reportTable, violationLines } from './report.ts'
import { openHistories, storiesBehind } from './stories.ts'

/** How often a line is written where lines cannot be overwritten, in milliseconds. */
const PLAIN_LINE_EVERY_MS = 10_000

async function main(): Promise<void> {
  const options = readChaosOptions(process.argv.slice(2))
  if (options === null) return console.log(HELP)
  console.log(`chaos with seed ${options.seed}`)
  const report = await runChaos(options, progressLine(options), keepWhenViolated)
  console.log(`\n${reportTable(report)}`)
  if (report.violations.length === 0) return
  console.error(`\n${violationLines(report)}`)
  process.exitCode = 1
}

/** What a violation is to be understood from: all books, the log of every part, and the histories of workflows that run on. */
async function keepWhenViolated(stack: Stack, report: ChaosReport): Promise<void> {
  if (report.violations.length === 0) return
  const folder = mkdtempSync(join(tmpdir(), `durable-trader-chaos-${report.options.seed}-`))
  cpSync(stack.logFolder, join(folder, 'logs'), { recursive: true })
  writeFileSync(join(folder, 'evidence.json'), JSON.stringify(report.evidence, undefined, 2))
  writeFileSync(join(folder, 'stories.txt'), await storiesBehind(stack, report))
  mkdirSync(join(folder, 'histories'))
  for (const [signalId, history] of await openHistories(stack, report))
    writeFileSync(join(folder, 'histories', `${signalId}.json`), history)
  console.error(`\nAll books and logs are kept in ${folder}`)
}

/** One line that is overwritten; plain lines now and then where there is no terminal. */
function progressLine({ signals }: ChaosOptions): (progress: ChaosProgress) => void {
  let last = { phase: '', at: 0 }
  return ({ phase, sent, answered, kills }) => {
    const line = `${phase}: ${sent} of ${signals} sent, ${answered} answered for good, ${kills} kills`
    if (process.stdout.isTTY) {
      process.stdout.write(`\r\u001B[K${line}`)
      return
    }
    const now = performance.now()
    if (phase === last.phase && now - last.at < PLAIN_LINE_EVERY_MS) return
    last = { phase, at: now }
    console.log(line)
  }
}

await runCommand(HELP, main)
