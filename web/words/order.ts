import type { Order } from '#client/types.ts'
import { isWorking } from '#domain/order.ts'
import { money, number } from './format.ts'

const SIDES = {
  BUY: 'Buy',
  SELL: 'Sell',
  BUY_TO_COVER: 'Buy back',
  SELL_SHORT: 'Sell short',
} as const satisfies Record<Order['side'], string>

export const STATUSES = {
  PENDING: 'on its way',
  OPEN: 'working',
  PARTIALLY_FILLED: 'partly filled',
  FILLED: 'filled',
  CANCELLED: 'cancelled',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
} as const satisfies Record<Order['status'], string>

export const ROLES = {
  entry: 'entry of a signal',
  exit: 'exit of a signal',
  manual: 'manual order',
} as const satisfies Record<Order['role'], string>

type OrderTerms = Pick<Order, 'orderType' | 'limitPrice'> & { stopPrice?: number | null }

export const sideWord = ({ side }: Pick<Order, 'side'>): string => SIDES[side]
export const isBuying = ({ side }: Pick<Order, 'side'>): boolean => side === 'BUY' || side === 'BUY_TO_COVER'

/** How it is priced: "at market", "limit $187.50". */
export function priceWords({ orderType, limitPrice, stopPrice = null }: OrderTerms): string {
  const stop = stopPrice === null ? 'stop' : `stop ${money(stopPrice)}`
  const limit = limitPrice === null ? 'limit' : `limit ${money(limitPrice)}`
  const WORDS = { MARKET: 'at market', LIMIT: limit, STOP: stop, STOP_LIMIT: `${stop}, ${limit}` } as const
  return WORDS[orderType]
}

/** "Sell 10 AAPL". */
export const orderHeadline = (order: Pick<Order, 'side' | 'quantity' | 'symbol'>): string =>
  `${sideWord(order)} ${number(order.quantity)} ${order.symbol}`

/** "Sell 10 AAPL, limit $187.50". */
export const orderSentence = (order: Order): string => `${orderHeadline(order)}, ${priceWords(order)}`

/** How a status is shown: what works stands out, what was refused warns. */
export const statusKind = ({ status }: Pick<Order, 'status'>): 'plain' | 'good' | 'warn' | 'danger' => {
  if (status === 'REJECTED') return 'danger'
  if (status === 'FILLED') return 'good'
  return isWorking(status) ? 'warn' : 'plain'
}
