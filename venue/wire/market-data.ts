import { add, divideDown } from '#domain/decimal.ts'
import { SECOND_MS } from '#domain/time-units.ts'
import type { Bar } from '../bars.ts'
import type { Quote } from '../prices.ts'
import { instantText } from './order.ts'

/** Shares of each trade and of both sides of each quote; the venue fills any size at the touch. */
const SIZE = 100
/** Letters of Alpaca's market data: the exchange (IEX), a regular trade or quote, and the tape. */
const IEX_LETTER = 'V'
const CONDITION = '@'
const REGULAR = 'R'
const TAPE = 'C'
const AVERAGE_PLACES = 4

/** A trade as Alpaca's market data writes it. */
export const presentTrade = (price: number, at: number) => ({
  t: instantText(at),
  x: IEX_LETTER,
  p: price,
  s: SIZE,
  c: [CONDITION],
  i: Math.floor(at / SECOND_MS),
  z: TAPE,
})

/** Bid and ask as Alpaca's market data writes them. */
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

/** A bar as Alpaca's market data writes it; `vw` is the average price of its trades, about. */
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
