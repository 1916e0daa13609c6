import {
  openSecret,
  sealSecret,
  SecretUnreadable,
  type EncryptionKeys,
  type SecretPlace,
} from './secret-box.ts'

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

export const sealCredentials = (
  keys: EncryptionKeys,
  owner: ConnectionOwner,
  credentials: Readonly<Record<string, string>>,
): string => sealSecret(keys, placeOf(owner), JSON.stringify(credentials))

/** Throws {@link SecretUnreadable}, also for a removed connection. */
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
