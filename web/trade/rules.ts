import type { EntryRule } from '#domain/risk/entry-check.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order/order.ts'
import type { Draft } from './draft.ts'
import type { QuantityType } from './requests.ts'

/** The fields that depend on another one. */
const ASKED: Readonly<Partial<Record<keyof Draft, (draft: Draft) => boolean>>> = {
  limitPrice: ({ orderType }) => hasLimitPrice(orderType),
  stopPrice: ({ orderType }) => hasStopPrice(orderType),
  scheduledProcessAt: ({ executeMode }) => executeMode === 'scheduled',
  expiresAt: ({ timeInForce }) => timeInForce === 'gtd',
  timezone: ({ executeMode, timeInForce, validUntil }) =>
    executeMode === 'scheduled' || timeInForce === 'gtd' || validUntil !== '',
}

/** Whether a field is shown, and sent. */
export const isAsked = (name: keyof Draft, draft: Draft): boolean => ASKED[name]?.(draft) ?? true

/** The sizes of an order that opens a position, and of one that closes. */
export const SIZES = {
  open: {
    fixed: 'Shares',
    dollarAmount: 'Dollars',
    percentEquity: '% of equity',
    riskPercent: '% at risk',
    riskDollars: '$ at risk',
  },
  close: {
    fixed: 'Shares',
    dollarAmount: 'Dollars',
    percentEquity: '% of equity',
    percentPosition: '% of position',
  },
} as const satisfies Record<'open' | 'close', Partial<Record<QuantityType, string>>>

export const ALL_SIZES = { ...SIZES.open, ...SIZES.close }

/** The fields of the form at which faults stand whose own fields show none. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  quantityType: 'quantity',
  orderType: 'targetPosition',
  accountIds: 'accountId',
  protection: 'protection.stop',
}

/** The field of the form at which a fault of the body stands: of a level however it is said. */
export const fieldOf = ([name = '', ...parts]: readonly (string | number)[]): string =>
  name === 'protection' && parts.length > 0
    ? [name, ...parts].join('.').replace(/\.(price|percent|amount)$/, '')
    : (ELSEWHERE[name] ?? String(name))

/** The fields that the rules of the service judge, by the names of the rules. */
export const JUDGED: Readonly<Record<string, readonly EntryRule[]>> = {
  quantity: [
    'size',
    'maxOrderShares',
    'maxOrderValue',
    'maxPositionShares',
    'maxPositionValue',
    'buyingPower',
  ],
  symbol: ['symbol', 'assetClass', 'price', 'asset', 'forbiddenSymbols', 'allowedSymbols'],
  limitPrice: ['priceCollarPercent'],
  exitOrderType: ['exitForm'],
  strategyId: ['strategyActive'],
  accountId: ['accountActive', 'tradingMode'],
}
