import type { Order, Position, Signal } from '#client/types.ts'
import { isReducing, isWorking, SIDE_VERBS, type AnyOrderType } from '#domain/order/order.ts'
import { orderPrices } from '#domain/order/price-words.ts'
import { distanceWords, money, number } from './figures.ts'

export const STATUSES = {
  PENDING: 'sending',
  OPEN: 'working',
  PARTIALLY_FILLED: 'partly filled',
  FILLED: 'filled',
  CANCELLED: 'cancelled',
  REJECTED: 'rejected',
  EXPIRED: 'expired',
} as const satisfies Record<Order['status'], string>

const ROLES = {
  entry: 'entry of a signal',
  exit: 'exit of a signal',
  manual: 'manual order',
} as const satisfies Record<Order['role'], string>

export const roleWords = ({ role, side }: Pick<Order, 'role' | 'side'>): string =>
  role === 'entry' && isReducing(side) ? 'close by a signal' : ROLES[role]

export const sideWord = ({ side }: Pick<Order, 'side'>): string => SIDE_VERBS[side]
export const closingVerb = (side: Position['side']): string =>
  SIDE_VERBS[side === 'LONG' ? 'SELL' : 'BUY_TO_COVER']
export const isBuying = ({ side }: Pick<Order, 'side'>): boolean => side === 'BUY' || side === 'BUY_TO_COVER'

const TYPES = {
  MARKET: 'market',
  LIMIT: 'limit',
  STOP: 'stop',
  STOP_LIMIT: 'stopLimit',
  OCO: 'oco',
  TRAILING_STOP: 'trailingStop',
} as const satisfies Record<Order['orderType'], AnyOrderType>

type PricedOrder = Pick<Order, 'limitPrice' | 'stopPrice'> &
  Partial<Pick<Order, 'stopLimitPrice' | 'trail'>> & { orderType: Order['orderType'] | AnyOrderType }

/** Price of an order: "at market", "limit $187.50", "stop $220.00, limit $219.00", "trailing stop 2 %". */
export const priceWords = ({ orderType, ...prices }: PricedOrder): string =>
  orderPrices(
    {
      orderType: orderType in TYPES ? TYPES[orderType as Order['orderType']] : (orderType as AnyOrderType),
      ...prices,
    },
    money,
    distanceWords,
  )

/** Time in force, as brokers name it. */
export const LIFETIMES = {
  day: 'Day',
  gtc: 'Good till cancelled',
  opg: 'At the open',
  cls: 'At the close',
  ioc: 'Immediate or cancel',
  fok: 'Fill or kill',
  gtd: 'Good till date',
} as const satisfies Record<Signal['timeInForce'], string>

export const lifetimeOf = ({ timeInForce }: Pick<Order, 'timeInForce'>): string =>
  LIFETIMES[timeInForce.toLowerCase() as keyof typeof LIFETIMES]

/** "Sell 10 AAPL". */
export const orderHeadline = (order: Pick<Order, 'side' | 'quantity' | 'symbol'>): string =>
  `${sideWord(order)} ${number(order.quantity)} ${order.symbol}`

/** "Sell 10 AAPL, limit $187.50". */
export const orderSentence = (order: Order): string => `${orderHeadline(order)}, ${priceWords(order)}`

/** Emphasis of a status: working orders have a colour, rejected ones warn. */
export const statusKind = ({ status }: Pick<Order, 'status'>): 'plain' | 'good' | 'warn' | 'danger' => {
  if (status === 'REJECTED') return 'danger'
  if (status === 'FILLED') return 'good'
  return isWorking(status) ? 'warn' : 'plain'
}
