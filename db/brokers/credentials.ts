import type { EntityManager } from '../engine/database.ts'
import {
  openSecret,
  sealSecret,
  SecretUnreadable,
  type EncryptionKeys,
  type SecretPlace,
} from './secret-box.ts'

/** The row that credentials belong to: sealed for one connection of one user, they open nowhere else. */
export interface ConnectionOwner {
  brokerId: string
  userId: string
}

const placeOf = ({ brokerId, userId }: ConnectionOwner): SecretPlace => ({
  table: 'broker_connections',
  id: brokerId,
  userId,
  field: 'credentials',
})

/** The credentials of a connection as they are stored. */
export const sealCredentials = (
  keys: EncryptionKeys,
  owner: ConnectionOwner,
  credentials: Readonly<Record<string, string>>,
): string => sealSecret(keys, placeOf(owner), JSON.stringify(credentials))

/**
 * The credentials in the clear, for the moment in which a process connects to the broker. Throws
 * {@link SecretUnreadable}, also for ones that were stored before they were sealed.
 */
export function openCredentials(
  keys: EncryptionKeys,
  connection: ConnectionOwner & { sealedCredentials: string | null },
): Record<string, string> {
  if (connection.sealedCredentials === null)
    throw new SecretUnreadable('The credentials of a connection are not sealed yet')
  return JSON.parse(openSecret(keys, placeOf(connection), connection.sealedCredentials)) as Record<
    string,
    string
  >
}

/**
 * Seals what was stored in the clear by versions before sealing, and answers how many connections that were.
 * Each row changes at once and only once, so that several processes may do so side by side.
 */
export async function sealPlainCredentials(em: EntityManager, keys: EncryptionKeys): Promise<number> {
  const plain = await em.execute<{ id: string; user_id: string; credentials: Record<string, string> }[]>(
    'select id, user_id, credentials from broker_connections where credentials is not null',
  )
  let sealed = 0
  for (const { id, user_id: userId, credentials } of plain) {
    const text = sealCredentials(keys, { brokerId: id, userId }, credentials)
    const changed = await em.execute<unknown[]>(
      `update broker_connections set sealed_credentials = ?, credentials = null
       where id = ? and credentials is not null returning id`,
      [text, id],
    )
    sealed += changed.length
  }
  return sealed
}
