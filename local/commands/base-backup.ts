import { setTimeout as wait } from 'node:timers/promises'
import { apiSettings, readSettings } from '#config/env.ts'
import { HOUR_MS } from '#domain/time/instants.ts'
import { copyBase, newestBase } from '../backup/base-copies.ts'
import { explainFailure } from '../start/diagnosis.ts'
import { count, readArguments, runCommand, UsageError } from './arguments.ts'

const BASE_BACKUP_HELP = `Makes base back-ups of a PostgreSQL of your own (DATABASE_URL), from which its archived log recovers.

  node local/commands/base-backup.ts --data FOLDER --to FOLDER --wal FOLDER [--keep N] [--every HOURS]

  --data    the data folder of the server, readable here
  --to      where base back-ups are kept, a folder each; best on another disk
  --wal     where PostgreSQL archives its log; what no base back-up needs is removed
  --keep    how many base back-ups are kept (7)
  --every   go on, with a base back-up each time that the newest one is so old (at most a year); otherwise it makes one

The keys are not in it: keep a copy of them elsewhere.`

const AFTER_A_FAILURE_MS = 10 * 60_000
/** Hours of a year. */
const MOST_HOURS = 8_760

async function main(): Promise<void> {
  const { values } = readArguments({
    options: {
      help: { type: 'boolean', short: 'h' },
      data: { type: 'string' },
      to: { type: 'string' },
      wal: { type: 'string' },
      keep: { type: 'string', default: '7' },
      every: { type: 'string' },
    },
  })
  if (values.help) {
    console.log(BASE_BACKUP_HELP)
    return
  }
  const { data, to, wal } = values
  if (data === undefined || to === undefined || wal === undefined)
    throw new UsageError('--data, --to and --wal are needed')
  const { DATABASE_URL: url } = readSettings(apiSettings.pick({ DATABASE_URL: true }))
  const options = { url, data, to, wal, keep: count('keep', values.keep) }
  const report = (line: string) => console.log(line)
  if (values.every === undefined) await copyBase(options, report)
  else await repeat(count('every', values.every, MOST_HOURS) * HOUR_MS, () => copyBase(options, report), to)
}

/** Copies until the process ends. A failure is printed, and a due copy is retried. */
async function repeat(everyMs: number, copy: () => Promise<string>, to: string): Promise<never> {
  for (;;) {
    try {
      const due = (newestBase(to)?.getTime() ?? 0) + everyMs
      // A timer takes at most 24 days, and pauses while the machine sleeps.
      while (Date.now() < due) await wait(Math.min(due - Date.now(), HOUR_MS))
      await copy()
    } catch (error) {
      console.error(explainFailure(error))
      await wait(AFTER_A_FAILURE_MS)
    }
  }
}

try {
  await runCommand(BASE_BACKUP_HELP, main)
} catch (error) {
  console.error(explainFailure(error))
  process.exitCode = 1
}
