import { randomUUID } from 'node:crypto'
import type { Account } from '#db/entities/index.ts'
import type { NewFlattening } from '#db/flatten/flattenings.ts'

/** A person's request to close all that an account holds, with its alarm at this instant. */
export const newFlattening = (
  { id, userId }: Pick<Account, 'id' | 'userId'>,
  alarmAt: string,
  changes: Partial<NewFlattening> = {},
): NewFlattening => ({
  id: randomUUID(),
  userId,
  cause: 'request',
  scope: 'account',
  scopeId: null,
  accountIds: [id],
  symbols: null,
  includeManual: true,
  entriesOf: null,
  reason: null,
  askedBy: 'someone',
  tokenId: null,
  day: null,
  closesAt: null,
  alarmAt,
  ...changes,
})
