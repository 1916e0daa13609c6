import type { Wish } from '#test/support/evidence.ts'
import type { Random } from './random.ts'

/** A wish, the body that asks for it, and what the market does about it. */
export interface PlannedWish {
  wish: Wish
  body: object
  /** The prices that make a limit order rest first and fill later; null where the market needs no help. */
  market: { symbol: string; restsAt: number; fillsAt: number } | null
}

type Kind = 'market' | 'market without exit' | 'limit that fills' | 'refused'

/**
 * How often each kind comes. Scheduled and pending signals, replacements and withdrawals get rows here, and their
 * times and withdrawals go into the wish and the evidence.
 */
const KINDS: readonly { weight: number; item: Kind }[] = [
  { weight: 60, item: 'market' },
  { weight: 5, item: 'market without exit' },
  { weight: 25, item: 'limit that fills' },
  { weight: 10, item: 'refused' },
]
/** Shared by many signals at once, so that exits must not take from one another. Longs and shorts never meet. */
const SYMBOLS = { openLong: ['AAPL', 'MSFT', 'NVDA'], openShort: ['TSLA', 'META'] } as const
const REFUSED = ['XXNONE', 'HALTED'] as const

/** The wish number `number` of a run; the random source decides what it is. */
export function planWish(number: number, accountId: string, random: Random): PlannedWish {
  const kind = random.weighted(KINDS)
  const action = random.fraction() < 0.75 ? 'openLong' : 'openShort'
  const quantity = random.between(1, 20)
  const wantsExit = kind !== 'market without exit'
  const symbol = symbolFor(kind, number, action, random)
  const key = `chaos-${number}`
  const isLong = action === 'openLong'
  const market = { symbol, restsAt: 100, fillsAt: isLong ? 94 : 106 }
  const limit = {
    orderType: 'limit',
    limitPrice: isLong ? 95 : 105,
    timeInForce: random.pick(['day', 'gtc']),
  }
  return {
    wish: {
      key,
      symbol,
      action,
      quantity: String(quantity),
      wantsExit,
      notBefore: null,
      notAfter: null,
    },
    body: {
      symbol,
      action,
      accountId,
      quantity,
      executeMode: 'immediate',
      sourceId: key,
      ...(kind === 'limit that fills' && limit),
      ...(wantsExit && { exitTriggerType: 'immediate' }),
    },
    market: kind === 'limit that fills' ? market : null,
  }
}

/** An order that rests has a symbol of its own: the exit of another would be refused as a wash trade. */
function symbolFor(kind: Kind, number: number, action: keyof typeof SYMBOLS, random: Random): string {
  if (kind === 'refused') return random.pick(REFUSED)
  return kind === 'limit that fills' ? `L${number}` : random.pick(SYMBOLS[action])
}
