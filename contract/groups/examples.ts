import { EXAMPLE_PENDING, EXAMPLE_SIGNAL } from '../signals/examples.ts'
import type { GroupAnswer, GroupDetailAnswer, StoppedGroupAnswer } from './answers.ts'

const GROUP_ID = '3c2b1a09-8f7e-4d6c-9b5a-4f3e2d1c0b9a'
const REFUSING = '0d9c8b7a-6f5e-4d3c-8b2a-190f8e7d6c5b'

const PENDING = { ...EXAMPLE_PENDING, groupId: GROUP_ID }

export const EXAMPLE_GROUP: GroupAnswer = {
  id: GROUP_ID,
  summary: 'openLong 10 AAPL',
  symbol: 'AAPL',
  tokenId: null,
  accounts: 3,
  signals: { executed: 1, pending: 1 },
  refused: 1,
  createdAt: EXAMPLE_SIGNAL.createdAt,
}

export const EXAMPLE_GROUP_DETAIL: GroupDetailAnswer = {
  group: EXAMPLE_GROUP,
  signals: [{ ...EXAMPLE_SIGNAL, groupId: GROUP_ID }, PENDING],
  refusals: [
    {
      accountId: REFUSING,
      code: 'MODE_MISMATCH',
      message: 'The account is a live account and the mode is PAPER',
      signalId: null,
    },
  ],
}

export const EXAMPLE_STOPPED: StoppedGroupAnswer = {
  results: [
    {
      id: PENDING.id,
      accountId: PENDING.accountId,
      outcome: 'withdrawn',
      code: null,
      message: 'The signal is withdrawn: no order is sent',
      signal: { ...PENDING, status: 'cancelled', statusReason: 'WITHDRAWN' },
    },
  ],
}

export const EXAMPLE_DECIDED_ONE = { results: [{ id: PENDING.id, success: true, signal: PENDING }] }
