import { keySettings, readSettings } from '#config/env.ts'
import { OWN_KEY_FILE, readKeyRing } from '#config/key-ring.ts'
import { openInstallation } from '../start/installation.ts'
import { rotateKeys } from './key-rotation.ts'

const KEYS_HELP = `The keys of this installation.

  npm run keys:create     makes the key file (KEY_FILE) unless there is one
  npm run keys:rotate     makes a new key, uses it from now on, and wraps every stored secret with it; nothing
                          has to be stopped, and a run that was cut off is repeated`

/** Creates the key file if absent; a repetition does nothing. */
async function create(): Promise<void> {
  const { KEY_FILE = OWN_KEY_FILE } = readSettings(keySettings)
  const { keys } = await readKeyRing(KEY_FILE, true)
  console.log(`${KEY_FILE} holds ${keys.size} key${keys.size === 1 ? '' : 's'}. Keep a copy in a safe place.`)
}

async function rotate(): Promise<void> {
  const { database, keyFile } = await openInstallation()
  try {
    const { current, wasResumed, rewrapped, unreadable } = await rotateKeys(
      { keyFile, database },
      console.log,
    )
    if (wasResumed)
      console.log('An earlier rotation had been cut off and is done now; no further key was made.')
    console.log(`Key ${current} is in use, and ${rewrapped} stored secrets were brought under it.`)
    console.log(`Keep a new copy of ${keyFile} in a safe place.`)
    if (unreadable.length === 0) return
    console.error(`These secrets cannot be read and were left as they are:\n  ${unreadable.join('\n  ')}`)
    process.exitCode = 1
  } finally {
    await database.close(true)
  }
}

const KEY_COMMANDS: Record<string, () => Promise<void>> = { create, rotate }
const [name = '--help'] = process.argv.slice(2)
try {
  if (name === '--help' || name === '-h') console.log(KEYS_HELP)
  else if (Object.hasOwn(KEY_COMMANDS, name)) await KEY_COMMANDS[name]!()
  else throw new Error(`There is no command ${name}\n\n${KEYS_HELP}`)
} catch (error) {
  console.error(`That did not work: ${(error as Error).message}`)
  process.exitCode = 1
}
