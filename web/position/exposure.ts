import type { Position } from '#client/types.ts'
import { money } from '../words/figures.ts'

/** Dollars at risk in the market; long and short are both positive. */
interface Exposure {
  long: number
  short: number
  /** Long plus short: the dollars that a move of the market affects. */
  gross: number
  /** Long less short. */
  net: number
}

/** With their signs, long and short would offset each other. */
export function exposureOf(positions: readonly Pick<Position, 'side' | 'marketValue'>[]): Exposure {
  const sumOf = (side: Position['side']): number =>
    positions.reduce((sum, each) => sum + (each.side === side ? Math.abs(each.marketValue) : 0), 0)
  const long = sumOf('LONG')
  const short = sumOf('SHORT')
  return { long, short, gross: long + short, net: long - short }
}

/** "long $12", "short $5", "net $7"; empty without short positions, because the sum suffices. */
export const exposureParts = ({ long, short, net }: Exposure): string[] =>
  short === 0 ? [] : [`long ${money(long)}`, `short ${money(short)}`, `net ${money(net)}`]
