import { FREE, type BoundsPolicy } from '../access/token-bounds.ts'

export const PLACING: BoundsPolicy = {
  ...FREE,
  pendingOnly: 'refused',
  accountIds: 'judged',
  symbols: 'judged',
  maxOrderValue: 'judged',
  demoOnly: 'refused',
}

export const CANCELLING: BoundsPolicy = { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' }
