import type { Decimal } from '../money/decimal.ts'
import { fillsAtOnce, type SentTerms } from '../order/order.ts'
import {
  watchedParts,
  type LevelName,
  type ProtectedPosition,
  type Protection,
  type RestingOrder,
} from './protection.ts'

export interface ExitFigures extends Pick<
  SentTerms,
  'orderType' | 'timeInForce' | 'limitPrice' | 'stopPrice'
> {
  stopLimitPrice: Decimal | null
}

/** Levels that an exit order keeps at the broker, by its figures. all: it fills at once. */
export type Kept = RestingOrder | 'all' | null

/** @param noted as placed, with a trailing stop's distance */
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

export interface HeldExit<AtBroker extends Kept = Kept> {
  protection: Protection
  position: ProtectedPosition
  best: Decimal
  kept: AtBroker
}

export const partsKeptHere = ({ protection, position, best, kept }: HeldExit): LevelName[] =>
  kept === 'all' ? [] : watchedParts(protection, position, best, kept)

/** Levels kept here, every trail (the broker forgets the best price), and a stop with a limit. */
export const needsPrices = (watched: HeldExit): boolean =>
  watched.kept !== 'all' &&
  (watched.protection.trail !== null ||
    watched.protection.stop?.limitOffset !== undefined ||
    partsKeptHere(watched).length > 0)
