import { rmSync, existsSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import { localSettings, readSettings } from '#config/env.ts'
import { dataFolderAt } from '../start/data-folder.ts'
import { explainFailure } from '../start/diagnosis.ts'
import { AlreadyRunningError, RunRecord } from '../processes/run-record.ts'
import { StartupError } from '../processes/startup-error.ts'

/** Wipes the data folder of `npm start`. */
async function main(): Promise<void> {
  const folder = dataFolderAt(readSettings(localSettings).DATA_DIR)
  if (!existsSync(folder.path)) {
    console.log(`There is no ${folder.path}: nothing to wipe.`)
    return
  }
  // A folder that npm start did not create belongs to another program.
  if (!existsSync(folder.secrets) && !existsSync(folder.record))
    throw new StartupError(`${folder.path} was not made by npm start; it is left alone. Is DATA_DIR right?`)
  if (!process.argv.includes('--yes') && !(await isConfirmed(folder.path))) {
    console.log('Nothing was wiped.')
    return
  }
  try {
    // Claiming also ends processes of a killed run, which would continue to write.
    await RunRecord.claim(folder.record)
  } catch (error) {
    if (!(error instanceof AlreadyRunningError)) throw error
    throw new StartupError(`Durable Trader runs on ${folder.path} (process ${error.pid}). Stop it first.`, {
      cause: error,
    })
  }
  rmSync(folder.path, { recursive: true, force: true })
  console.log(`Wiped ${folder.path}. The next npm start begins without data.`)
}

async function isConfirmed(path: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new StartupError('This needs a terminal to ask for confirmation: npm run reset -- --yes')
  const terminal = createInterface({ input: process.stdin, output: process.stdout })
  try {
    const answer = await terminal.question(
      `Wipe ${path} with every order, signal, account and token in it? [y/N] `,
    )
    return /^y(es)?$/i.test(answer.trim())
  } finally {
    terminal.close()
  }
}

try {
  await main()
} catch (error) {
  console.error(explainFailure(error))
  process.exitCode = 1
}
