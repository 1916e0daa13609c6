import type { NamedRequest } from '#db/signals/requests.ts'
import type { Principal } from '../http/principal.ts'
import type { SignalRequest } from '#contract/signals/schema.ts'
import type { GroupWish } from './wish.ts'

type Giver = Pick<Principal, 'tokenId'>

/** Each token has names of its own, and so has a person over all sessions. */
export const keyName = ({ tokenId }: Giver, key: string): string => `key ${tokenId ?? 'person'} ${key}`
export const messageName = ({ tokenId }: Giver, text: string): string =>
  `message ${tokenId ?? 'person'} ${text}`

export const namedBy = (
  { userId }: Pick<Principal, 'userId'>,
  { id, name, seconds }: Pick<GroupWish, 'id' | 'name' | 'seconds'>,
  at: Date,
): NamedRequest => ({ id, userId, name, seconds, at })

export function inOrder<Of extends { accountId: string }>(
  requests: readonly SignalRequest[],
  members: readonly Of[],
): Of[] {
  const order = requests.map(({ accountId }) => accountId)
  return members.toSorted((a, b) => order.indexOf(a.accountId) - order.indexOf(b.accountId))
}
