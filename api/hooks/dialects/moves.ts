import type { HookSettings } from '#domain/hook/settings.ts'
import type { Trade } from '#domain/move.ts'
import type { Direction, Intent, Side, Size } from './dialect.ts'
import type { SenderFields } from './sender-fields.ts'

const OPENS: Record<Direction, Side> = { buy: 'LONG', sell: 'SHORT' }

export const mayOpen = (direction: Direction, { mayShort }: HookSettings): boolean =>
  direction === 'buy' || mayShort

/** Where the other side is not turned, shares are taken off the position; without a size all of it is closed. */
export function asChosen(direction: Direction, size: Size | null, settings: HookSettings): Intent {
  const isReversed = mayOpen(direction, settings) && settings.whenOpposite === 'reverse'
  return opening(direction, isReversed ? 'reverse' : size === null ? 'close' : 'reduce', settings)
}

/** With the side to be on afterwards: on the side that the order opens, the other one is turned whatever the hook says. */
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

/** Where a strategy turns, TradingView counts what is closed and what is opened together; only a position tells them apart. */
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
    `If ${name} comes from {{strategy.order.contracts}}, it counts what is closed and what is opened together where the strategy turns: ${mend}`,
  )
}

export function asFarAsLong(fields: SenderFields): Intent {
  fields.advise(
    'short_not_opened',
    'The sender is short, and this hook may not be: a long position is closed, and nothing is opened. Allow short positions in the hook (mayShort), or let the strategy trade one side',
  )
  return step('sell', { whenFlat: 'refuse', whenOpposite: 'close', whenSame: 'nothing' })
}
