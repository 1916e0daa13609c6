import { add, divideDown } from '#domain/money/decimal.ts'
import { SECOND_MS } from '#domain/time/instants.ts'
import type { Bar } from '../bars.ts'
import type { Quote } from '../prices.ts'
import { instantText } from './order.ts'

/** Shares of each trade and side; any size fills at the touch. */
const SIZE = 100
/** Alpaca's letters: exchange (IEX), regular trade or quote, tape. */
const IEX_LETTER = 'V'
const CONDITION = '@'
const REGULAR = 'R'
const TAPE = 'C'
const AVERAGE_PLACES = 4

export const presentTrade = (price: number, at: number) => ({
  t: instantText(at),
  x: IEX_LETTER,
  p: price,
  s: SIZE,
  c: [CONDITION],
  i: Math.floor(at / SECOND_MS),
  z: TAPE,
})

export const presentQuote = ({ bid, ask }: Quote, at: number) => ({
  t: instantText(at),
  ax: IEX_LETTER,
  ap: Number(ask),
  as: SIZE,
  bx: IEX_LETTER,
  bp: Number(bid),
  bs: SIZE,
  c: [REGULAR],
  z: TAPE,
})

/** `vw` is about the average price. */
export const presentBar = ({ at, open, high, low, close, volume }: Bar) => ({
  t: instantText(at),
  o: Number(open),
  h: Number(high),
  l: Number(low),
  c: Number(close),
  v: volume,
  n: Math.ceil(volume / SIZE),
  vw: Number(divideDown(add(add(high, low), close), '3', AVERAGE_PLACES)),
})
