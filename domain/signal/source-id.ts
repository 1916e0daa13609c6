import type { AlertNotice } from '../alert/alert.ts'
import { compare, type Decimal, figure } from '../money/decimal.ts'
import { ENTRY_SIDE, type Action, type QuantityType } from './signal.ts'

export interface Trade {
  symbol: string
  action: Action
  quantity: Decimal
  quantityType: QuantityType
}

export interface SourceHolder extends Trade {
  acceptedAt: Date
  status: string
  /** The approver, who may have changed the quantity. */
  decidedBy?: string | null | undefined
}

/** A quantity that a person may have changed proves nothing. */
export function isAnotherTrade(holder: SourceHolder, asked: Trade): boolean {
  if (holder.symbol !== asked.symbol || holder.action !== asked.action) return true
  if (holder.decidedBy != null) return false
  return holder.quantityType !== asked.quantityType || compare(holder.quantity, asked.quantity) !== 0
}

const UNITS: Record<QuantityType, string> = {
  fixed: '',
  percentEquity: '% of equity',
  dollarAmount: ' dollars',
  riskPercent: '% of equity at risk',
  riskDollars: ' dollars at risk',
  percentPosition: '% of the position',
}

const inWords = ({ action, quantity, quantityType, symbol }: Trade): string =>
  `${action} ${figure(quantity)}${UNITS[quantityType]} ${symbol}`

const holderInWords = (holder: SourceHolder): string =>
  `${inWords(holder)} of ${holder.acceptedAt.toISOString()}, ${holder.status}`

const done = ({ action }: Trade): string =>
  ENTRY_SIDE[action] === 'BUY' || ENTRY_SIDE[action] === 'BUY_TO_COVER' ? 'bought' : 'sold'

export const belongsToAnother = (holder: SourceHolder, asked: Trade): string =>
  `Nothing was ${done(asked)}: this sourceId belongs to another trade: ${holderInWords(holder)}`

/** The sender got status 200 and may not look. */
export const sourceIdReused = (sourceId: string, holder: SourceHolder, asked: Trade): AlertNotice => ({
  kind: 'source_id_reused',
  message: `Nothing was ${done(asked)} for a signal ${inWords(asked)}: its sourceId ${JSON.stringify(sourceId)} belongs to another trade: ${holderInWords(holder)}`,
  data: {
    sourceId,
    symbol: asked.symbol,
    action: asked.action,
    quantity: asked.quantity,
    quantityType: asked.quantityType,
  },
})
