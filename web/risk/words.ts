import type { Routes } from '#client/types.ts'
import { money, number } from '../words/figures.ts'

export type RiskSettings = Routes['GET /api/v1/settings/risk/{accountId}']['answers'][200]['data']
export type Limits = RiskSettings['limits']
export type LimitName = keyof Limits

export type FigureName = Exclude<
  LimitName,
  'duplicatePolicy' | 'allowedSymbols' | 'forbiddenSymbols' | 'marketHours'
>

interface FigureWords {
  name: string
  unit: 'shares' | '$' | 'orders' | '%' | 'seconds'
  meaning: string
}

export const FIGURES = {
  maxOrderShares: { name: 'Largest order', unit: 'shares', meaning: 'A larger order is refused' },
  maxOrderValue: { name: 'Largest order', unit: '$', meaning: 'An order that costs more is refused' },
  maxPositionShares: {
    name: 'Largest position',
    unit: 'shares',
    meaning: 'Of one symbol, including open orders',
  },
  maxPositionValue: {
    name: 'Largest position',
    unit: '$',
    meaning: 'Of one symbol, including open orders',
  },
  maxOrdersPerMinute: {
    name: 'Orders in a minute',
    unit: 'orders',
    meaning: 'Further opening orders are refused until the minute ends',
  },
  maxOrdersPerDay: {
    name: 'Orders in a day',
    unit: 'orders',
    meaning: 'Further opening orders are refused until the exchange’s next day',
  },
  maxDailyLoss: {
    name: 'Daily loss',
    unit: '$',
    meaning: 'No position is opened after this loss of equity since the day began',
  },
  maxDailyLossPercent: {
    name: 'Daily loss',
    unit: '%',
    meaning: 'The same, in percent of the equity at the start of the day',
  },
  priceCollarPercent: {
    name: 'Price collar',
    unit: '%',
    meaning: 'How far a limit or stop price may lie from the last price; for closing orders too',
  },
  maxApprovalDriftPercent: {
    name: 'Price move before approval',
    unit: '%',
    meaning: 'How far the price may move before a waiting signal is approved',
  },
  approvalAboveValue: {
    name: 'Approval above',
    unit: '$',
    meaning: 'A more expensive entry needs your approval, from any sender; with 0 every entry does',
  },
  duplicateWindowSeconds: {
    name: 'Repeated orders',
    unit: 'seconds',
    meaning: 'An identical order within this time counts as a repetition; for closing orders too',
  },
} as const satisfies Record<FigureName, FigureWords>

export const GROUPS = [
  { title: 'Size', names: ['maxOrderShares', 'maxOrderValue', 'maxPositionShares', 'maxPositionValue'] },
  { title: 'Loss', names: ['maxDailyLoss', 'maxDailyLossPercent'] },
  { title: 'Rate', names: ['maxOrdersPerMinute', 'maxOrdersPerDay'] },
  { title: 'Approval', names: ['approvalAboveValue'] },
  { title: 'Price', names: ['priceCollarPercent', 'maxApprovalDriftPercent'] },
] as const satisfies readonly { title: string; names: readonly FigureName[] }[]

export const DUPLICATE_POLICIES = { warn: 'Send it, with a note', deny: 'Do not send it' } as const
export const MARKET_HOURS = {
  any: 'Whenever the broker accepts orders',
  extended: 'From 04:00 until four hours after the close',
  regular: 'In the regular session, and for its opening',
} as const

/** Full name of a limit: "Largest order, $". */
export function nameOf(limit: LimitName): string {
  if (limit in FIGURES) {
    const { name, unit } = FIGURES[limit as FigureName]
    return unit === 'orders' ? name : `${name}, ${unit}`
  }
  return {
    duplicatePolicy: 'A repeated order',
    allowedSymbols: 'Symbols that may be opened',
    forbiddenSymbols: 'Symbols that may not be opened',
    marketHours: 'When positions may be opened',
  }[limit as Exclude<LimitName, FigureName>]
}

const UNITS = {
  shares: (value: number) => `${number(value)} ${value === 1 ? 'share' : 'shares'}`,
  $: money,
  orders: (value: number) => `${number(value)} ${value === 1 ? 'order' : 'orders'}`,
  '%': (value: number) => `${number(value)} %`,
  seconds: (value: number) => `${number(value)} s`,
} as const

/** Value of a limit in words: "$25,000.00", "no limit". */
export function valueWords<Name extends LimitName>(limit: Name, value: Limits[Name]): string {
  if (limit === 'duplicatePolicy') return DUPLICATE_POLICIES[value as Limits['duplicatePolicy']]
  if (limit === 'marketHours') return MARKET_HOURS[value as Limits['marketHours']]
  if (limit === 'allowedSymbols' && value === null) return 'all'
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ')
  if (limit === 'approvalAboveValue' && value === null) return 'no approval'
  if (limit === 'approvalAboveValue' && Number(value) === 0) return 'every entry needs approval'
  if (value === null) return 'no limit'
  return UNITS[FIGURES[limit as FigureName].unit](Number(value))
}
