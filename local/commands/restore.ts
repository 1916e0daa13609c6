import { localSettings, readSettings } from '#config/env.ts'
import { restore } from '../backup/restore.ts'
import { dataFolderAt } from '../start/data-folder.ts'
import { explainFailure } from '../start/diagnosis.ts'
import { readArguments, runCommand, UsageError } from './arguments.ts'

const RESTORE_HELP = `Restores a back-up of npm run backup into a data folder that is absent or empty.

  npm run restore -- --from DIR                    into DATA_DIR (.data unless it is set)
  npm run restore -- --from DIR --to DATA_DIR      into another folder
  npm run restore -- --from DIR --keys FILE        with the keys, where they are not beside the back-up
  npm run restore -- --from DIR --unsigned         also when it was not signed with these keys, or was changed since

To restore a back-up is to run it: its database may hold commands. So take none from anybody else, signed or not. Every file is checked first. The next npm start compares ledger, Temporal and brokers by itself, has the service mend
what differs, and alerts the owners. It opens no position until an administrator has checked what was decided since the
copy, and lifts the halt (npm run admin -- resume). Never start two installations from one back-up: both would trade.`

async function main(): Promise<void> {
  const text = { type: 'string' } as const
  const { values } = readArguments({
    options: {
      help: { type: 'boolean', short: 'h' },
      from: text,
      to: text,
      keys: text,
      unsigned: { type: 'boolean' },
    },
  })
  if (values.help) {
    console.log(RESTORE_HELP)
    return
  }
  if (values.from === undefined) throw new UsageError('--from is missing')
  const to = dataFolderAt(values.to ?? readSettings(localSettings).DATA_DIR)
  const options = { from: values.from, keyFile: values.keys, mayBeUnsigned: values.unsigned === true, to }
  const { ledgerAt } = await restore(options, (line) => console.log(line))
  console.log(
    `${to.path} holds the state of ${ledgerAt}. Start it:\n\n  DATA_DIR=${to.path} npm start\n\n` +
      'Ledger, Temporal and brokers are compared by themselves then; what differs is in the alert set_back. Later:\n\n' +
      `  DATA_DIR=${to.path} npm run admin -- reconcile\n\n` +
      'No position is opened until you have checked what was decided since that state (halts, tokens, users, connections,\n' +
      'limits, signals that were called off), and lift the halt:\n\n' +
      `  DATA_DIR=${to.path} npm run admin -- resume`,
  )
}

try {
  await runCommand(RESTORE_HELP, main)
} catch (error) {
  console.error(explainFailure(error))
  process.exitCode = 1
}
