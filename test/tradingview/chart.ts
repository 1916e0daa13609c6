import type { Bar } from './emulator.ts'

const BAR_MS = 60_000
/** Dollars by which a bar reaches beyond its open and close. */
const REACH = 1

/** Bars of a minute without gaps, the first of which opens where it closes. */
export const barsOf = (closes: readonly number[], from: Date): Bar[] =>
  closes.map((close, place) => {
    const open = closes[place - 1] ?? close
    return {
      time: new Date(from.getTime() + place * BAR_MS),
      open,
      high: Math.max(open, close) + REACH,
      low: Math.min(open, close) - REACH,
      close,
    }
  })
