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
 * {@link SecretUnreadable}, also where its owner has removed the connection.
 */
export function openCredentials(
  keys: EncryptionKeys,
  connection: ConnectionOwner & { sealedCredentials: string | null },
): Record<string, string> {
  if (connection.sealedCredentials === null)
    throw new SecretUnreadable('A connection that was removed has no credentials')
  return JSON.parse(openSecret(keys, placeOf(connection), connection.sealedCredentials)) as Record<
    string,
    string
  >
}
