import { keySettings, readSettings } from '#config/env.ts'
import { OWN_KEY_FILE, readKeyRing } from '#config/key-ring.ts'

/** `create` makes the key file of an installation unless there is one; it may be repeated. */
try {
  const { KEY_FILE = OWN_KEY_FILE } = readSettings(keySettings)
  const [command] = process.argv.slice(2)
  if (command !== 'create') throw new Error('The command is: create')
  const { keys } = await readKeyRing(KEY_FILE, true)
  console.log(`${KEY_FILE} holds ${keys.size} key${keys.size === 1 ? '' : 's'}. Keep a copy in a safe place.`)
} catch (error) {
  console.error(`The keys could not be made: ${(error as Error).message}`)
  process.exitCode = 1
}
