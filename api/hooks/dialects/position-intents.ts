import { compare, negate, subtract } from '#domain/decimal.ts'
import type { HookSettings } from '#domain/hook/settings.ts'
import type { Direction, Intent, Size } from './dialect.ts'
import { adviseOfBothLegs, asFarAsLong, mayOpen, towards, step } from './moves.ts'
import type { Position, Positions } from './positions.ts'
import { folded, type SenderFields } from './sender-fields.ts'

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
  // The contracts of a turn are those of both legs.
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
    `${given.name} counts what is closed and what is opened together where a strategy turns: add "market_position_size": "{{strategy.market_position_size}}"`,
  )
