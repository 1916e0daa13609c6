import { setTimeout as pause } from 'node:timers/promises'
import { announceKey, KEY_FILE_READ_EVERY, keysFor, readKeyRing, takeKeyIntoUse } from '#config/key-ring.ts'
import type { Database } from '#db/engine/database.ts'
import { requireKnownKeys } from '#db/broker/key-checks.ts'
import { rewrapSecrets } from '#db/broker/sealed-columns.ts'
import type { Report } from '../start/steps.ts'

/** Milliseconds until every running process has read a changed key file. */
const UNTIL_READ_MS = 3 * KEY_FILE_READ_EVERY

export interface Rotation {
  current: string
  /** Whether it finished an earlier rotation instead of creating a key. */
  wasResumed: boolean
  rewrapped: number
  /** `table id` of every unreadable secret, which keeps its older key. */
  unreadable: string[]
}

/**
 * Replaces the key during operation: it is announced, used, and then wraps every stored secret. An interrupted rotation
 * continues in the next run. Older keys stay, because Temporal's histories and database copies need them.
 *
 * @param untilReadMs milliseconds until every process knows a changed key file
 */
export async function rotateKeys(
  { keyFile, database }: { keyFile: string; database: Database },
  report: Report,
  untilReadMs = UNTIL_READ_MS,
): Promise<Rotation> {
  const rewrap = async (): Promise<Omit<Rotation, 'wasResumed'>> => {
    const keys = keysFor(await readKeyRing(keyFile, false), 'stored-secrets')
    const columns = await rewrapSecrets(database.em.fork(), keys, ({ table, rewrapped }) =>
      report(`${table}: ${rewrapped} secrets are under key ${keys.current}`),
    )
    return {
      current: keys.current,
      rewrapped: columns.reduce((sum, { rewrapped }) => sum + rewrapped, 0),
      unreadable: columns.flatMap(({ table, unreadable }) => unreadable.map((id) => `${table} ${id}`)),
    }
  }
  const leftOver = await rewrap()
  if (leftOver.rewrapped > 0) return { ...leftOver, wasResumed: true }

  const id = await announceKey(keyFile)
  report(`key ${id} is announced; waiting until every process knows it`)
  await pause(untilReadMs)
  await takeKeyIntoUse(keyFile, id)
  await requireKnownKeys(database.em, keysFor(await readKeyRing(keyFile, false), 'key-check'))
  report(`key ${id} is in use; waiting until every process uses it`)
  await pause(untilReadMs)
  return { ...(await rewrap()), wasResumed: false }
}
