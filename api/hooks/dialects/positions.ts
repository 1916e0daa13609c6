import { compare, decimal, isZero, magnitude, type Decimal } from '#domain/decimal.ts'
import type { SenderHolds } from '#domain/sender-holds.ts'
import type { Given, SenderFields } from './sender-fields.ts'
import { wordsFor, type Side } from './dialect.ts'

export interface Positions {
  now: Position | null
  before: SenderHolds | null
  /** The strategy's own clock, a UTC instant. */
  at: string | null
  names: Partial<Record<string, string>>
}

export interface Position {
  side: Side | 'FLAT'
  /** Shares, not below zero; null where only the side is known. */
  size: Decimal | null
  given: Given
}

const SIDES_OF_POSITIONS = wordsFor({ LONG: 'long buy', SHORT: 'short sell', FLAT: 'flat none' })
const SHOWN_SIDES = 'long, short, flat'
const withStrategy = (...names: string[]): string[] => names.flatMap((name) => [name, `strategy${name}`])

export function readPositions(fields: SenderFields): Positions {
  const sideGiven = fields.pick(...withStrategy('marketposition'))
  const sizeGiven = fields.pick(...withStrategy('marketpositionsize'))
  const signedGiven = fields.pick(...withStrategy('positionsize'), 'targetposition')
  const prevSideGiven = fields.pick(...withStrategy('prevmarketposition', 'previousmarketposition'))
  const prevSizeGiven = fields.pick(...withStrategy('prevmarketpositionsize', 'previousmarketpositionsize'))
  const at = instantOf(fields)
  const side = fields.word(sideGiven, SIDES_OF_POSITIONS, SHOWN_SIDES)
  const size = fields.number(sizeGiven)
  const signed = fields.number(signedGiven)
  const given = signedGiven ?? sizeGiven ?? sideGiven
  const now =
    given === null || (sideGiven !== null && side === null)
      ? null
      : positionOf(fields, side, size, signed, { given, sideGiven })
  const prevSide = fields.word(prevSideGiven, SIDES_OF_POSITIONS, SHOWN_SIDES)
  const prevSize = fields.number(prevSizeGiven)
  return {
    now,
    before: holdsOf(prevSide, prevSize),
    at: at?.instant ?? null,
    names: {
      ...(given !== null && { targetPosition: given.name }),
      ...(at !== null && { targetAt: at.given.name }),
    },
  }
}

function positionOf(
  fields: SenderFields,
  side: Side | 'FLAT' | null,
  size: Decimal | null,
  signed: Decimal | null,
  { given, sideGiven }: { given: Given; sideGiven: Given | null },
): Position | null {
  if (side === null) {
    if (signed === null) {
      if (size !== null)
        fields.fault(
          given,
          'required',
          `${given.name} has no side: add "market_position": "{{strategy.market_position}}"`,
        )
      return null
    }
    const sign = compare(signed, '0')
    return { side: sign === 0 ? 'FLAT' : sign > 0 ? 'LONG' : 'SHORT', size: magnitude(signed), given }
  }
  const numbers = [size, signed].filter((number) => number !== null)
  const sizes = numbers.map(magnitude)
  const isOtherSide =
    (side === 'LONG' && numbers.some((number) => compare(number, '0') < 0)) ||
    (side === 'FLAT' ? sizes.some((number) => !isZero(number)) : sizes.some(isZero))
  const differs = sizes[0] !== undefined && sizes.some((number) => compare(number, sizes[0]!) !== 0)
  if (isOtherSide || differs)
    return fields.fault(
      given,
      'contradiction',
      `${given.name} does not fit ${sideGiven!.name}: send both as TradingView fills them in`,
    )
  return { side, size: side === 'FLAT' ? decimal(0) : (sizes[0] ?? null), given }
}

function holdsOf(side: Side | 'FLAT' | null, size: Decimal | null): SenderHolds | null {
  if (side === null) return null
  if (side === 'FLAT') return { side }
  return { side, shares: size === null || isZero(size) ? null : magnitude(size) }
}

const UTC_INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

function instantOf(fields: SenderFields): { instant: string; given: Given } | null {
  const given = fields.optional('targetat') ?? fields.optional('timenow')
  const text = fields.text(given)
  if (given === null || text === null || !UTC_INSTANT.test(text)) return null
  const at = Date.parse(text)
  return Number.isNaN(at) ? null : { instant: new Date(at).toISOString(), given }
}
