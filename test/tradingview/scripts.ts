import type { Strategy } from './emulator.ts'

/** The message that a strategy needs: orders as they are, or the position after them. */
export type MessageKind = 'steps' | 'target'

/** A strategy of a kind that people trade: what it asks for at the close of each bar, counted from 0. */
export interface Script {
  title: string
  message: MessageKind
  pyramiding?: number
  /** Closes of the bars, dollars; each bar opens at the close before. */
  closes: readonly number[]
  atClose(strategy: Strategy, bar: number): void
}

const LONG = { alertMessage: 'openLong' }
const SHORT = { alertMessage: 'openShort' }
const OUT_OF_LONG = { alertMessage: 'closeLong' }
const OUT_OF_SHORT = { alertMessage: 'closeShort' }
const QUIET = [100, 100, 100, 100, 100, 100, 100, 100] as const

const LONG_ONLY: Script = {
  title: 'long only',
  message: 'steps',
  closes: QUIET,
  atClose(strategy, bar) {
    if (bar % 2 === 0) strategy.entry('long', 'long', 10 + bar, LONG)
    else strategy.close('long', OUT_OF_LONG)
  },
}

const SHORT_ONLY: Script = {
  title: 'short only',
  message: 'steps',
  closes: QUIET,
  atClose(strategy, bar) {
    if (bar % 3 === 0) strategy.entry('short', 'short', 8, SHORT)
    if (bar % 3 === 1) strategy.close('short', { shares: 3, ...OUT_OF_SHORT })
    if (bar % 3 === 2) strategy.close('short', OUT_OF_SHORT)
  },
}

const PARTIAL_EXITS: Script = {
  title: 'partial exits of one name and size',
  message: 'steps',
  closes: QUIET,
  atClose(strategy, bar) {
    if (bar === 0) strategy.entry('long', 'long', 20, LONG)
    else if (bar < 4) strategy.close('long', { shares: 5, ...OUT_OF_LONG })
  },
}

const PYRAMIDING: Script = {
  title: 'pyramiding',
  message: 'steps',
  pyramiding: 3,
  closes: QUIET,
  atClose(strategy, bar) {
    if (bar === 5) strategy.closeAll(OUT_OF_LONG)
    else strategy.entry('add', 'long', 5, LONG)
  },
}

const EXITS_IN_ONE_BAR: Script = {
  title: 'several exits in one bar',
  message: 'steps',
  closes: [100, 100, 100, 120, 120, 120, 140, 140],
  atClose(strategy, bar) {
    if (bar !== 0 && bar !== 3) return
    strategy.entry('long', 'long', 12, LONG)
    for (const step of [0, 1, 2])
      strategy.exit({
        id: `tp${step}`,
        of: 'long',
        shares: 4,
        limit: (bar === 0 ? 105 : 125) + 5 * step,
        ...OUT_OF_LONG,
      })
  },
}

const IN_AND_OUT_IN_ONE_BAR: Script = {
  title: 'stopped in the bar of the entry',
  message: 'steps',
  closes: [100, 90, 90, 80, 80, 70, 70, 60],
  atClose(strategy, bar) {
    if (bar % 2 === 1) return
    strategy.entry('long', 'long', 10, LONG)
    strategy.exit({ id: 'stop', of: 'long', shares: 10, stop: 95 - 5 * bar, ...OUT_OF_LONG })
  },
}

const BOTH_EXITS_AT_ONE_MOMENT: Script = {
  title: 'two entries closed at one moment',
  message: 'steps',
  pyramiding: 2,
  closes: QUIET,
  atClose(strategy, bar) {
    if (bar % 4 === 0) strategy.entry('first', 'long', 6, LONG)
    if (bar % 4 === 1) strategy.entry('second', 'long', 9, LONG)
    if (bar % 4 === 2) for (const id of ['first', 'second']) strategy.close(id, OUT_OF_LONG)
  },
}

const REVERSING: Script = {
  title: 'reversing at every bar',
  message: 'target',
  closes: QUIET,
  atClose(strategy, bar) {
    if (bar === 7) strategy.closeAll()
    else if (bar % 2 === 0) strategy.entry('long', 'long', 10)
    else strategy.entry('short', 'short', 10)
  },
}

const REVERSING_AND_PYRAMIDING: Script = {
  title: 'reversing out of added positions, and partial exits',
  message: 'target',
  pyramiding: 2,
  closes: QUIET,
  atClose(strategy, bar) {
    if (bar === 0 || bar === 1) strategy.entry(`buy ${bar}`, 'long', 6)
    if (bar === 2) strategy.entry('sell', 'short', 9)
    if (bar === 3) strategy.close('sell', { shares: 4 })
    if (bar === 4) strategy.entry('buy', 'long', 7)
    if (bar === 5) strategy.closeAll()
    if (bar === 6) strategy.entry('sell', 'short', 3)
  },
}

const REVERSING_AND_OUT_IN_ONE_BAR: Script = {
  title: 'reversing, and stopped in the bar of the entry',
  message: 'target',
  closes: [100, 90, 100, 90, 100, 90, 100, 90],
  atClose(strategy, bar) {
    const direction = bar % 2 === 0 ? 'long' : 'short'
    strategy.entry(direction, direction, 10)
    strategy.exit({ id: 'stop', of: direction, shares: 10, stop: 95 })
  },
}

/**
 * Targets of one moment have to come in their order, and a repetition after a hiccup does not: nothing in a message tells which of two
 * targets of one second is older. So it is played apart.
 */
export const REVERSING_WITH_EXITS_AT_ONE_MOMENT: Script = {
  title: 'reversing, with two entries closed at one moment',
  message: 'target',
  pyramiding: 2,
  closes: QUIET,
  atClose(strategy, bar) {
    const direction = bar < 4 ? 'long' : 'short'
    if (bar % 4 === 0) strategy.entry('first', direction, 6)
    if (bar % 4 === 1) strategy.entry('second', direction, 9)
    if (bar % 4 === 2) for (const id of ['first', 'second']) strategy.close(id)
  },
}

/** One entry at the first bar's close. */
export const ENTRY: Script = {
  title: 'one entry',
  message: 'steps',
  closes: [100, 100],
  atClose(strategy, bar) {
    if (bar === 0) strategy.entry('long', 'long', 1, LONG)
  },
}

/** Played while every part has its hiccup. */
export const SCRIPTS: readonly Script[] = [
  LONG_ONLY,
  SHORT_ONLY,
  PARTIAL_EXITS,
  PYRAMIDING,
  EXITS_IN_ONE_BAR,
  IN_AND_OUT_IN_ONE_BAR,
  BOTH_EXITS_AT_ONE_MOMENT,
  REVERSING,
  REVERSING_AND_PYRAMIDING,
  REVERSING_AND_OUT_IN_ONE_BAR,
]
