import type { EntryRule } from '#domain/risk/entry-check.ts'
import { hasLimitPrice, hasStopPrice } from '#domain/order/order.ts'
import type { Draft } from './draft.ts'
import type { QuantityType } from './requests.ts'

const ASKED: Readonly<Partial<Record<keyof Draft, (draft: Draft) => boolean>>> = {
  limitPrice: ({ orderType }) => hasLimitPrice(orderType),
  stopPrice: ({ orderType }) => hasStopPrice(orderType),
  scheduledProcessAt: ({ executeMode }) => executeMode === 'scheduled',
  expiresAt: ({ timeInForce }) => timeInForce === 'gtd',
  timezone: ({ executeMode, timeInForce, validUntil }) =>
    executeMode === 'scheduled' || timeInForce === 'gtd' || validUntil !== '',
}

export const isAsked = (name: keyof Draft, draft: Draft): boolean => ASKED[name]?.(draft) ?? true

/** Units of size for opening orders, and for closing ones. */
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

/** Fields that show the faults of others. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  quantityType: 'quantity',
  orderType: 'targetPosition',
  accountIds: 'accountId',
  protection: 'protection.stop',
}

/** Form field for a fault of the body; a level has one field for all units. */
export const fieldOf = ([name = '', ...parts]: readonly (string | number)[]): string =>
  name === 'protection' && parts.length > 0
    ? [name, ...parts].join('.').replace(/\.(price|percent|amount)$/, '')
    : (ELSEWHERE[name] ?? String(name))

/** Rules of the service, by the field that they concern. */
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
