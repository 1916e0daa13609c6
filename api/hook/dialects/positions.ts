import type { HookSettings } from '#domain/hook/settings.ts'
import type { Trade } from '#domain/signal/move.ts'
import { type Direction, type Intent, type Side, type Size, wordsFor } from './dialect.ts'
import { type SenderFields, folded, type Given } from './sender-fields.ts'
import { compare, negate, subtract, decimal, isZero, magnitude, type Decimal } from '#domain/money/decimal.ts'
import type { SenderHolds } from '#domain/signal/sender-position.ts'

const OPENS: Record<Direction, Side> = { buy: 'LONG', sell: 'SHORT' }

export const mayOpen = (direction: Direction, { mayShort }: HookSettings): boolean =>
  direction === 'buy' || mayShort

/** Without a reversal the order reduces the opposite position, or without a size closes it. */
export function asChosen(direction: Direction, size: Size | null, settings: HookSettings): Intent {
  const isReversed = mayOpen(direction, settings) && settings.whenOpposite === 'reverse'
  return opening(direction, isReversed ? 'reverse' : size === null ? 'close' : 'reduce', settings)
}

/** An order towards `side` reverses the other side, regardless of the hook's settings. */
export function towards(direction: Direction, side: Side, settings: HookSettings): Intent {
  if (OPENS[direction] !== side) return { kind: 'close', side }
  return opening(direction, mayOpen(direction, settings) ? 'reverse' : 'close', settings)
}

function opening(direction: Direction, whenOpposite: Trade['whenOpposite'], settings: HookSettings): Intent {
  const opens = mayOpen(direction, settings)
  const whenSame = opens || settings.whenSame === 'nothing' ? settings.whenSame : 'refuse'
  return step(direction, { whenFlat: opens ? 'open' : 'refuse', whenOpposite, whenSame })
}

export const step = (direction: Direction, choices: Omit<Trade, 'kind' | 'direction'>): Intent => ({
  kind: 'move',
  move: { kind: 'trade', direction, ...choices },
})

/** TradingView adds a reversal's closed and opened contracts; only a position separates them. */
export function adviseOfBothLegs(
  fields: SenderFields,
  intent: Intent,
  size: Size | null,
  mend: string,
): void {
  const mayTurn = intent.kind === 'move' && intent.move.whenOpposite === 'reverse'
  if (!mayTurn || size?.unit !== 'shares') return
  const { name } = size.given
  fields.advise(
    'both_legs',
    `If ${name} comes from {{strategy.order.contracts}}, it counts the closed and the opened shares together when the strategy reverses: ${mend}`,
  )
}

export function asFarAsLong(fields: SenderFields): Intent {
  fields.advise(
    'short_not_opened',
    'The sender is short, and this hook may not be: a long position is closed, and nothing is opened. Allow short positions in the hook (mayShort), or let the strategy trade one side',
  )
  return step('sell', { whenFlat: 'refuse', whenOpposite: 'close', whenSame: 'nothing' })
}

export const ADD_SIZE = 'add "market_position_size": "{{strategy.market_position_size}}"'

export const isContracts = (size: Size | null): boolean =>
  size !== null && folded(size.given.name).endsWith('contracts')

type Read = { intent: Intent; size: Size | null } | null

export function byPosition(
  fields: SenderFields,
  direction: Direction | null,
  size: Size | null,
  positions: Positions & { now: Position },
  settings: HookSettings,
): Read {
  const { now, before } = positions
  const isFixed = size?.given.name.toLowerCase().startsWith('fixed') ?? false
  if (now.side === 'SHORT' && !mayOpen('sell', settings)) return { intent: asFarAsLong(fields), size: null }
  if (now.side === 'FLAT' || (now.size !== null && !isFixed)) {
    const position = now.side === 'FLAT' ? '0' : now.side === 'SHORT' ? negate(now.size!) : now.size!
    return { intent: { kind: 'target', position, at: positions.at, given: now.given }, size: null }
  }
  const opening: Direction = now.side === 'LONG' ? 'buy' : 'sell'
  if (before === null) return bySideAlone(fields, direction ?? opening, now.side, size, settings)
  if (before.side === now.side) return moreOrLess(fields, direction, opening, size, now)
  const intent = towards(opening, now.side, settings)
  if (before.side === 'FLAT' || size === null || isFixed) return { intent, size }
  // Contracts of a reversal include both orders.
  if (before.shares === null || compare(size.value, before.shares) <= 0) return unknownSize(fields, size)
  return { intent, size: { ...size, value: subtract(size.value, before.shares) } }
}

function bySideAlone(
  fields: SenderFields,
  direction: Direction,
  side: 'LONG' | 'SHORT',
  size: Size | null,
  settings: HookSettings,
): Read {
  const intent = towards(direction, side, settings)
  if (settings.mayShort && isContracts(size)) adviseOfBothLegs(fields, intent, size, ADD_SIZE)
  return { intent, size }
}

function moreOrLess(
  fields: SenderFields,
  direction: Direction | null,
  opening: Direction,
  size: Size | null,
  { side, given }: Position,
): Read {
  if (direction === null || (size === null && direction !== opening))
    return fields.fault(
      given,
      'required',
      `${given.name} is the same as before, so that the message says nothing to trade: add "market_position_size": "{{strategy.market_position_size}}"`,
    )
  if (direction !== opening)
    return { intent: { kind: 'close', side: side === 'SHORT' ? 'SHORT' : 'LONG' }, size }
  return { intent: step(direction, { whenFlat: 'open', whenOpposite: 'reverse', whenSame: 'add' }), size }
}

const unknownSize = (fields: SenderFields, { given }: Size): null =>
  fields.fault(
    given,
    'both_legs',
    `${given.name} counts the closed and the opened shares together when a strategy reverses: add "market_position_size": "{{strategy.market_position_size}}"`,
  )

export interface Positions {
  now: Position | null
  before: SenderHolds | null
  /** UTC instant by the strategy's clock. */
  at: string | null
  names: Partial<Record<string, string>>
}

export interface Position {
  side: Side | 'FLAT'
  /** Shares, not negative; null where only the side is known. */
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
