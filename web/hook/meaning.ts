import type { HookSettings } from '#domain/hook/settings.ts'

/** Choices that turn “buy” and “sell” into orders. */
export type Meaning = Pick<HookSettings, 'mayShort' | 'whenSame' | 'whenOpposite'>

export interface Effect {
  held: 'Nothing' | 'Long' | 'Short'
  buy: string
  sell: string
}

const CLOSES = 'the quantity, at most the position; without a quantity all'

export function effectsOf({ mayShort, whenSame, whenOpposite }: Meaning): Effect[] {
  const reverses = whenOpposite === 'reverse'
  const adds = whenSame === 'add'
  const effects: Effect[] = [
    {
      held: 'Nothing',
      buy: 'Buys: a long position',
      sell: mayShort ? 'Sells short: a short position' : 'Refused: this hook does not sell short',
    },
    {
      held: 'Long',
      buy: adds ? 'Buys more' : 'Nothing: it is long already',
      sell: reverses && mayShort ? 'Sells all, then sells short' : `Sells ${CLOSES}`,
    },
  ]
  if (mayShort)
    effects.push({
      held: 'Short',
      buy: reverses ? 'Covers all, then buys' : `Covers ${CLOSES}`,
      sell: adds ? 'Sells more short' : 'Nothing: it is short already',
    })
  return effects
}

/** The choices in a sentence: "Sell closes and never sells short; the same side again does nothing". */
export function meaningWords({ mayShort, whenSame, whenOpposite }: Meaning): string {
  const opposite = !mayShort
    ? 'Sell closes and never sells short'
    : whenOpposite === 'reverse'
      ? 'The other side closes all, then opens the opposite position'
      : 'The other side only closes; without a position it opens one, short too'
  return `${opposite}; the same side again ${whenSame === 'add' ? 'adds to it' : 'does nothing'}`
}
