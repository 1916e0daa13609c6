import type { Decimal } from '../common/decimal.ts'
import { fillsAtOnce, type SentTerms } from '../order/order.ts'
import {
  watchedParts,
  type LevelName,
  type ProtectedPosition,
  type Protection,
  type RestingOrder,
} from './protection.ts'

/** Which levels of an exit lie at the broker, and which are kept here. */

/** Figures of the exit order that works. */
export interface ExitFigures extends Pick<
  SentTerms,
  'orderType' | 'timeInForce' | 'limitPrice' | 'stopPrice'
> {
  stopLimitPrice: Decimal | null
}

/** What an exit order keeps of the exit follows from its figures, whatever it is for. all: it fills at once. */
export type Kept = RestingOrder | 'all' | null

/** @param noted as it was placed: of a trailing stop the distance */
export function keptBy(exit: ExitFigures | null, noted: RestingOrder | null): Kept {
  if (exit === null) return null
  if (fillsAtOnce(exit)) return 'all'
  const { orderType, timeInForce, limitPrice, stopPrice, stopLimitPrice } = exit
  if (orderType === 'market' || timeInForce === 'cls' || timeInForce === 'opg') return null
  if (noted?.orderType === orderType) return noted
  return {
    orderType,
    limitPrice,
    stopPrice,
    ...(stopLimitPrice !== null && { stopLimitPrice }),
    timeInForce: timeInForce === 'gtc' ? 'gtc' : 'day',
  }
}

/** An exit of a position, and what the order at the broker keeps of it. */
export interface HeldExit<AtBroker extends Kept = Kept> {
  protection: Protection
  position: ProtectedPosition
  best: Decimal
  kept: AtBroker
}

export const partsKeptHere = ({ protection, position, best, kept }: HeldExit): LevelName[] =>
  kept === 'all' ? [] : watchedParts(protection, position, best, kept)

/** Parts kept here; every trail (the broker forgets the best price with its order); a stop with a limit, too. */
export const needsPrices = (watched: HeldExit): boolean =>
  watched.kept !== 'all' &&
  (watched.protection.trail !== null ||
    watched.protection.stop?.limitOffset !== undefined ||
    partsKeptHere(watched).length > 0)
