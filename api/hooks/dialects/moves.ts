import type { HookSettings } from '#domain/hook/settings.ts'
import type { SenderFields } from './sender-fields.ts'
import type { Direction, Intent, Side, Size } from './wish.ts'

const OPENS: Record<Direction, Side> = { buy: 'LONG', sell: 'SHORT' }

export const mayOpen = (direction: Direction, { mayShort }: HookSettings): boolean =>
  direction === 'buy' || mayShort

/** Where the other side is not turned, shares are taken off the position; without a size all of it is closed. */
export function asChosen(direction: Direction, size: Size | null, settings: HookSettings): Intent {
  const opens = mayOpen(direction, settings)
  const isReversed = opens && settings.whenOpposite === 'reverse'
  return {
    kind: 'move',
    move: {
      kind: 'trade',
      direction,
      whenFlat: opens ? 'open' : 'refuse',
      whenOpposite: isReversed ? 'reverse' : size === null ? 'close' : 'reduce',
      whenSame: opens || settings.whenSame === 'nothing' ? settings.whenSame : 'refuse',
    },
  }
}

/** With the side to be on afterwards: on the side that the order opens, the other one is turned whatever the hook says. */
export function towards(direction: Direction, side: Side, settings: HookSettings): Intent {
  if (OPENS[direction] !== side) return { kind: 'close', side }
  const opens = mayOpen(direction, settings)
  return {
    kind: 'move',
    move: {
      kind: 'trade',
      direction,
      whenFlat: opens ? 'open' : 'refuse',
      whenOpposite: opens ? 'reverse' : 'close',
      whenSame: opens || settings.whenSame === 'nothing' ? settings.whenSame : 'refuse',
    },
  }
}

export const adding = (direction: Direction): Intent => ({
  kind: 'move',
  move: { kind: 'trade', direction, whenFlat: 'refuse', whenOpposite: 'refuse', whenSame: 'add' },
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
  return {
    kind: 'move',
    move: {
      kind: 'trade',
      direction: 'sell',
      whenFlat: 'refuse',
      whenOpposite: 'close',
      whenSame: 'nothing',
    },
  }
}
