import type { Account, Flatten, Position, Trade } from '#client/types.ts'
import { closedTogether, type ClosedShares } from '../signal/result.ts'
import { number } from '../words/figures.ts'
import { closingVerb } from '../words/order.ts'
import { isRealMoney } from '../words/signal.ts'
import { worthOf } from './worth.ts'

export interface Holding {
  account: Account
  positions: readonly Position[]
  /** Dollars that closing moves; `gain` is the result in dollars. */
  value: number
  gain: number
}

/** Positions of the named account, or of the mode's accounts: nothing is sent in others. */
export function holdingsOf(
  positions: readonly Position[],
  accounts: ReadonlyMap<string, Account>,
  where: string | { isLive: boolean },
): Holding[] {
  const byAccount = Map.groupBy(positions, ({ accountId }) => accountId)
  return [...byAccount].flatMap(([id, held]) => {
    const account = accounts.get(id)
    const isMeant =
      typeof where === 'string' ? id === where : account && isRealMoney(account) === where.isLive
    if (!account || !isMeant) return []
    const worth = held.map((position) => worthOf(position, position.quantity, position.currentPrice))
    const sum = (of: 'value' | 'gain'): number => worth.reduce((total, each) => total + each[of], 0)
    return [{ account, positions: held, value: sum('value'), gain: sum('gain') }]
  })
}

/** "Sell 10 NVDA". */
export const closeWords = ({
  side,
  quantity,
  symbol,
}: Pick<Position, 'side' | 'quantity' | 'symbol'>): string =>
  `${closingVerb(side)} ${number(quantity)} ${symbol}`

type Line = Flatten['lines'][number]

const LINE_WORDS = {
  closing: 'being closed',
  closed: 'closed',
  held: 'waits',
  failed: 'not closed',
} as const satisfies Record<Line['status'], string>

/** "not closed: the market is closed". */
export const lineWords = ({ status, detail }: Pick<Line, 'status' | 'detail'>): string =>
  detail === null || detail === '' || status === 'closed'
    ? LINE_WORDS[status]
    : `${LINE_WORDS[status]}: ${detail}`

/** Shares closed by each order, by order id, as far as fills have become trades. */
export function closedBy(lines: readonly Line[], trades: readonly Trade[]): Map<string, ClosedShares> {
  const closings = new Map<string, ClosedShares>()
  for (const { orderId } of lines) {
    const ended = trades.filter(({ exitOrderIds }) => orderId !== null && exitOrderIds.includes(orderId))
    if (orderId !== null && ended.length > 0)
      closings.set(
        orderId,
        closedTogether(
          ended.map(({ quantity, exitPrice, realisedPnl }) => ({
            quantity,
            price: exitPrice ?? 0,
            realisedPnl: realisedPnl ?? 0,
          })),
        ),
      )
  }
  return closings
}

export function flattenWords({ status, lines, left }: Pick<Flatten, 'status' | 'lines' | 'left'>): string {
  const open = lines.filter((line) => line.status !== 'closed').length
  if (open === 0 && left.length > 0)
    return `${left.length === 1 ? 'An order' : `${left.length} orders`} may still open a position`
  if (lines.length === 0)
    return status === 'working' ? 'The positions are being read' : 'No positions were left'
  if (open === 0)
    return lines.length === 1 ? 'The position is closed' : `All ${lines.length} positions are closed`
  const of = `${open} of ${lines.length} ${lines.length === 1 ? 'position' : 'positions'}`
  return status === 'working' ? `${of} still open` : `${of} not closed`
}

/**
 * Flattening that replaces the question: one under way, or one sent without an answer; null for none. Clocks may differ
 * slightly.
 *
 * @param accountId null for all accounts
 * @param sentAt time of the request without an answer; null for none
 */
export const underWay = (
  flattens: readonly Flatten[],
  accountId: string | null,
  sentAt: number | null,
): Flatten | null =>
  flattens.find(({ status, cause, createdAt, lines, left }) =>
    sentAt === null
      ? status === 'working' &&
        (accountId === null || [...lines, ...left].some((line) => line.accountId === accountId))
      : cause === 'request' && Date.parse(createdAt) >= sentAt - 2_000,
  ) ?? null
