import type { HookKind } from '#domain/hook/settings.ts'

export const KINDS = {
  tradingview: {
    name: 'TradingView strategy',
    about: 'The account follows the position of the strategy: the next alert corrects a missed one',
  },
  traderspost: {
    name: 'TradersPost',
    about: 'JSON with ticker, action and sentiment, as written for TradersPost',
  },
  'trade-relay': {
    name: 'trade-relay',
    about: 'JSON with action, symbol and quantity, as written for trade-relay by LuxAlgo',
  },
  signalstack: {
    name: 'SignalStack',
    about: 'Lines such as “buy 10 AAPL”, or JSON with symbol, action and quantity',
  },
  openalgo: {
    name: 'OpenAlgo',
    about: 'Orders of OpenAlgo, and its smart orders with a position_size',
  },
  json: {
    name: 'Own JSON',
    about: 'The fields of a signal of this service; missing fields are taken from the hook',
  },
  template: {
    name: 'Something else',
    about: 'Any other JSON: you set where symbol, side and quantity are',
  },
} as const satisfies Record<HookKind, { name: string; about: string }>

export const ALL_KINDS = Object.keys(KINDS) as HookKind[]
