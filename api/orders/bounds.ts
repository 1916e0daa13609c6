import { FREE, type BoundsPolicy } from '../access/token-bounds.ts'

/** How the bounds of a token apply to the placement of an order. */
export const PLACING: BoundsPolicy = {
  ...FREE,
  pendingOnly: 'refused',
  accountIds: 'judged',
  symbols: 'judged',
  maxOrderValue: 'judged',
  demoOnly: 'refused',
}

/** How they apply to the cancel of an order. */
export const CANCELLING: BoundsPolicy = { ...FREE, accountIds: 'judged', ownSignalsOnly: 'judged' }
