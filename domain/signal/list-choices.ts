export const AGENDA_KINDS = ['exit', 'schedule', 'expiry', 'orderExpiry'] as const

/** Sending of exit or entry; end of a wait for approval; end of a gtd order. */
export type AgendaKind = (typeof AGENDA_KINDS)[number]

export const SIGNAL_SORTS = ['newest', 'validUntil'] as const

export type SignalSort = (typeof SIGNAL_SORTS)[number]

export const TRADE_SORTS = ['entryAt', 'exitAt', 'realisedPnl', 'realisedPnlPercent', 'symbol'] as const

export const BAR_TIMEFRAMES = ['1m', '5m', '15m', '1h', '1d'] as const

export type BarTimeframe = (typeof BAR_TIMEFRAMES)[number]

export const CLOSERS = ['exit', 'signal', 'person', 'elsewhere'] as const
