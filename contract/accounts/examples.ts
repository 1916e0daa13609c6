import type { AccountAnswer } from './answers.ts'

export const ACCOUNT_EXAMPLE: AccountAnswer = {
  id: '7f9c24e8-3b12-4a5f-9d0e-1c2b3a4d5e6f',
  brokerId: '0b54a3c1-8d2f-4e67-b1a9-5f6e7d8c9b0a',
  brokerAccountId: 'PA3XY7Z9',
  name: 'Paper account',
  type: 'MARGIN',
  currency: 'USD',
  equity: 100250.5,
  cashBalance: 81900,
  buyingPower: 181950.5,
  isActive: true,
  isDemo: true,
  isPrimary: true,
  flatByClose: null,
  restrictions: [],
  lastSyncedAt: '2026-03-02T14:30:05.000Z',
}
