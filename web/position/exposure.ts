import type { Position } from '#client/types.ts'
import { money } from '../words/figures.ts'

/** What is at risk in the market, in dollars; long and short are positive both. */
interface Exposure {
  long: number
  short: number
  /** Both together: what a move of the market acts on. */
  gross: number
  /** Long less short. */
  net: number
}

/** The sums of positions by their sides: with their signs long and short would hide each other. */
export function exposureOf(positions: readonly Pick<Position, 'side' | 'marketValue'>[]): Exposure {
  const sumOf = (side: Position['side']): number =>
    positions.reduce((sum, each) => sum + (each.side === side ? Math.abs(each.marketValue) : 0), 0)
  const long = sumOf('LONG')
  const short = sumOf('SHORT')
  return { long, short, gross: long + short, net: long - short }
}

/** "long $12", "short $5", "net $7"; nothing where nothing is short, because the sum says it all then. */
export const exposureParts = ({ long, short, net }: Exposure): string[] =>
  short === 0 ? [] : [`long ${money(long)}`, `short ${money(short)}`, `net ${money(net)}`]
