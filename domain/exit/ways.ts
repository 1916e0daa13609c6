export const EXIT_WAYS = ['time', 'limit', 'stop', 'stopLimit', 'person', 'signal', 'elsewhere'] as const

/** time: exit at market, also in an auction. limit, stop, stopLimit: at a price of exit or plan. */
export type ExitWay = (typeof EXIT_WAYS)[number]
