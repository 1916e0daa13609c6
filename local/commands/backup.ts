import { keySettings, localSettings, readSettings } from '#config/env.ts'
import { backUp } from '../backup/back-up.ts'
import { removeOlder } from '../backup/retention.ts'
import { StartupError } from '../processes/startup-error.ts'
import { dataFolderAt } from '../start/data-folder.ts'
import { explainFailure } from '../start/diagnosis.ts'
import { count, readArguments, runCommand } from './arguments.ts'

const BACKUP_HELP = `Backs up the installation of npm start (DATA_DIR) while it runs and takes orders.

  npm run backup                    into a new folder under backups/
  npm run backup -- --to DIR        under another folder, best on another disk
  npm run backup -- --keep N        and keeps the newest N back-ups of this installation there

The keys are written to a file of their own beside the back-up: keep it elsewhere. With both, everything that is
stored encrypted can be read; without the keys, nothing. npm run restore puts a back-up back.`

async function main(): Promise<void> {
  const { values } = readArguments({
    options: {
      help: { type: 'boolean', short: 'h' },
      to: { type: 'string', default: 'backups' },
      keep: { type: 'string' },
    },
  })
  if (values.help) {
    console.log(BACKUP_HELP)
    return
  }
  const keep = values.keep === undefined ? undefined : count('keep', values.keep)
  const { DATA_DIR, DATABASE_URL } = readSettings(localSettings)
  if (DATABASE_URL !== undefined)
    throw new StartupError(
      'DATABASE_URL is set: a PostgreSQL of your own is copied by its own means (docs/operate/back-up.md, Back-up).',
    )
  const folder = dataFolderAt(DATA_DIR)
  const { KEY_FILE: keyFile = folder.keys } = readSettings(keySettings)
  const began = performance.now()
  const made = await backUp({ folder, keyFile, to: values.to }, (line) => console.log(line))
  const { path, keys, manifest } = made
  const removed = keep === undefined ? [] : removeOlder(made, keep, (line) => console.log(line))
  const megabytes = manifest.files.reduce((sum, { size }) => sum + size, 0) / 1_000_000
  for (const older of removed) console.log(`removed ${older}`)
  console.log(
    `\n${path}\n  ${manifest.files.length} files, ${megabytes.toFixed(1)} MB, in ${((performance.now() - began) / 1_000).toFixed(1)} s; the ledger as it was at ${manifest.ledgerAt}\n` +
      `${keys}\n  the keys: move this file to another place, apart from the back-up`,
  )
}

try {
  await runCommand(BACKUP_HELP, main)
} catch (error) {
  console.error(explainFailure(error))
  process.exitCode = 1
}
