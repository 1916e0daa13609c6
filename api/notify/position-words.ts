import type { LetterCover, LetterPosition } from '#db/notify/day-letter.ts'
import { keptBy, partsKeptHere } from '#domain/exit/kept-levels.ts'
import {
  distanceInWords,
  firstStopPrice,
  stopNow,
  targetPrice,
  type LevelName,
} from '#domain/exit/protection.ts'
import { compare, figure, isPositive, isSame, type Decimal } from '#domain/money/decimal.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'

/** "Long 10 AAPL: stop 95 and target 110 at the broker". */
export function positionInWords({ side, quantity, symbol, uncovered, covers }: LetterPosition): string {
  const exits = covers.map((cover) =>
    compare(cover.quantity, quantity) < 0
      ? `${figure(cover.quantity)} with ${coverInWords(cover)}`
      : coverInWords(cover),
  )
  const without = isSame(uncovered, quantity) ? 'no exit' : `${figure(uncovered)} with no exit`
  const parts = isPositive(uncovered) ? [without, ...exits] : exits
  return `${side === 'LONG' ? 'Long' : 'Short'} ${figure(quantity)} ${symbol}: ${parts.join('; ')}`
}

const coverInWords = (cover: LetterCover): string =>
  [...atBroker(cover), ...watched(cover), ...(cover.at === null ? [] : [`exit ${inNewYork(cover.at)}`])].join(
    ', ',
  ) || 'a planned exit'

function atBroker({ order }: LetterCover): string[] {
  if (order === null) return []
  const { orderType, stopPrice, limitPrice, trail } = order
  const levels = [
    ...(stopPrice === null ? [] : [`stop ${figure(stopPrice)}`]),
    ...(limitPrice === null || orderType === 'stopLimit' ? [] : [`target ${figure(limitPrice)}`]),
    ...(trail === null ? [] : [`trailing stop ${distanceInWords(trail)}`]),
  ]
  return [`${LIST.format(levels) || 'an order'} at the broker`]
}

function watched({ levels, order }: LetterCover): string[] {
  if (levels === null) return []
  const { protection, position, best } = levels
  const now = stopNow(protection, position, best)
  const prices: Record<LevelName, Decimal | null> = {
    stop: firstStopPrice(protection, position),
    target: targetPrice(protection, position),
    trail: now?.by === 'trail' ? now.price : null,
    breakEven: now?.by === 'breakEven' ? now.price : null,
  }
  const parts = partsKeptHere({ protection, position, best, kept: keptBy(order, null) })
  const named = parts.map((part) =>
    [WATCHED_LEVELS[part], ...(prices[part] === null ? [] : [figure(prices[part])])].join(' '),
  )
  return named.length === 0 ? [] : [`${LIST.format(named)} watched by the service`]
}

const LIST = new Intl.ListFormat('en-GB')

const WATCHED_LEVELS: Record<LevelName, string> = {
  stop: 'stop',
  target: 'target',
  trail: 'trailing stop',
  breakEven: 'break-even',
}

export const inNewYork = (instant: string | Date): string => `${NEW_YORK.format(new Date(instant))} New York`

const NEW_YORK = new Intl.DateTimeFormat('en-GB', {
  timeZone: NYSE_ZONE,
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
