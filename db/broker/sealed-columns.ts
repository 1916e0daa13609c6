import type { EntityManager } from '../engine/database.ts'
import { rewrapSecret, sealingKeyOf, SecretUnreadable, type EncryptionKeys } from './secret-box.ts'

interface SealedColumn {
  table: string
  id: string
  column: string
  field: string
}

export const SEALED_COLUMNS: readonly SealedColumn[] = [
  { table: 'broker_connections', id: 'id', column: 'sealed_credentials', field: 'credentials' },
  { table: 'totp_factors', id: 'user_id', column: 'sealed_secret', field: 'secret' },
  { table: 'hooks', id: 'id', column: 'sealed_signing_key', field: 'signingKey' },
  { table: 'channels', id: 'id', column: 'sealed_settings', field: 'settings' },
]

const RESEAL_BATCH = 200

export interface RewrapProgress {
  table: string
  rewrapped: number
  /** Ids of rows with an unreadable secret. */
  unreadable: string[]
}

/** Interruptible and repeatable; a secret stored meanwhile is not overwritten. */
export async function rewrapSecrets(
  em: EntityManager,
  keys: EncryptionKeys,
  report: (progress: RewrapProgress) => void = () => {},
): Promise<RewrapProgress[]> {
  const done: RewrapProgress[] = []
  for (const column of SEALED_COLUMNS) done.push(await rewrapColumn(em, keys, column, report))
  return done
}

async function rewrapColumn(
  em: EntityManager,
  keys: EncryptionKeys,
  { table, id, column, field }: SealedColumn,
  report: (progress: RewrapProgress) => void,
): Promise<RewrapProgress> {
  const progress: RewrapProgress = { table, rewrapped: 0, unreadable: [] }
  let last = '00000000-0000-0000-0000-000000000000'
  for (;;) {
    const rows = await em.execute<{ id: string; userId: string; sealed: string }[]>(
      `select ${id} as id, user_id as "userId", ${column} as sealed from ${table}
       where ${column} is not null and ${id} > ? order by ${id} limit ${RESEAL_BATCH}`,
      [last],
    )
    if (rows.length === 0) return progress
    for (const row of rows) {
      last = row.id
      try {
        if (sealingKeyOf(row.sealed) === keys.current) continue
        const anew = rewrapSecret(keys, { table, id: row.id, userId: row.userId, field }, row.sealed)
        await em.execute(`update ${table} set ${column} = ? where ${id} = ? and ${column} = ?`, [
          anew,
          row.id,
          row.sealed,
        ])
        progress.rewrapped += 1
      } catch (error) {
        if (!(error instanceof SecretUnreadable)) throw error
        progress.unreadable.push(row.id)
      }
    }
    report(progress)
  }
}
