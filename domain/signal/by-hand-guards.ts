import { instantAfter } from '../time/instants.ts'
import { MAX_POSITION_LAG_MS } from '../time/broker-clock.ts'
import { isPositive, figure } from '../money/decimal.ts'
import type { Ask } from './origin.ts'
import type { EntryDecision } from '../risk/entry-check.ts'
import {
  differenceInWords,
  unseenShares,
  type Shown,
  ageAt,
  isFresh,
  missingAtBroker,
  type SymbolState,
} from '../position/symbol-state.ts'
import type { Action } from './signal.ts'

/** Milliseconds after a close in which an opposite opening counts as a repetition. */
const REVERSAL_WINDOW = 60_000

/** The broker lacks a recent fill, or every share to be closed: one answer must not cause a short sale. */
export function awaitedPosition(
  symbolState: SymbolState,
  { symbol, ask: { side } }: { symbol: string; ask: Ask },
  position: Shown,
): string | null {
  if (!isPositive(missingAtBroker(symbolState, position))) return null
  if (isFresh(symbolState, MAX_POSITION_LAG_MS))
    return `the broker does not show yet that ${figure(symbolState.shares.quantity)} ${symbol} are held since a moment ago`
  const closes = symbolState.shares.side === (side === 'SELL' ? 'LONG' : 'SHORT')
  return closes && isPositive(unseenShares(symbolState, position))
    ? differenceInWords(symbolState, position, symbol)
    : null
}

/** Denies a repeated sale, or one after an exit sold: neither means a short position. */
export function repetitionDenial(
  { asOf }: Pick<SymbolState, 'asOf'>,
  { symbol }: { symbol: string },
  action: Action,
  closedAt: string | null,
): Extract<EntryDecision, { outcome: 'denied' }> | null {
  if (closedAt === null || ageAt({ asOf }, closedAt) >= REVERSAL_WINDOW) return null
  const from = instantAfter(closedAt, REVERSAL_WINDOW)
  const side = action === 'openShort' ? 'long' : 'short'
  return {
    outcome: 'denied',
    code: 'NO_POSITION_TO_CLOSE',
    detail: `The ${side} position in ${symbol} was closed at ${closedAt}; to open one on the other side, place the order again after ${from}`,
  }
}
