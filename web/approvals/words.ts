import type { Account, Signal } from '#client/types.ts'
import { TRIGGER } from '#domain/exit.ts'
import { money, number } from '../parts/format.ts'

const VERBS = {
  openLong: 'Buy',
  closeLong: 'Sell',
  openShort: 'Sell short',
  closeShort: 'Buy back',
} as const satisfies Record<Signal['action'], string>

const DONE = {
  openLong: 'Bought',
  closeLong: 'Sold',
  openShort: 'Sold short',
  closeShort: 'Bought back',
} as const satisfies Record<Signal['action'], string>

const EFFECTS = {
  openLong: 'opens a long position',
  closeLong: 'closes a long position',
  openShort: 'opens a short position',
  closeShort: 'closes a short position',
} as const satisfies Record<Signal['action'], string>

const LIFETIMES = {
  day: 'for today only',
  gtc: 'until cancelled',
  opg: 'in the opening auction',
  cls: 'in the closing auction',
  ioc: 'at once or not, in part too',
  fok: 'at once and whole, or not',
  gtd: 'until its date',
} as const satisfies Record<Signal['timeInForce'], string>

export const isBuy = ({ action }: Pick<Signal, 'action'>): boolean =>
  action === 'openLong' || action === 'closeShort'
export const verb = ({ action }: Pick<Signal, 'action'>): string => VERBS[action]
export const effect = ({ action }: Signal): string => EFFECTS[action]
export const lifetime = ({ timeInForce }: Pick<Signal, 'timeInForce'>): string => LIFETIMES[timeInForce]

/** How much, as it was asked for: "10", "5 % of equity in", "$1,000.00 of". */
function amount({ quantity, quantityType }: Signal): string {
  switch (quantityType) {
    case 'fixed':
      return number(quantity)
    case 'percentEquity':
      return `${number(quantity)} % of equity in`
    case 'dollarAmount':
      return `${money(quantity)} of`
  }
}

function terms({ orderType, limitPrice, stopPrice }: Signal): string {
  const limit = money(limitPrice ?? 0)
  const stop = money(stopPrice ?? 0)
  switch (orderType) {
    case 'market':
      return 'at market'
    case 'limit':
      return `at limit ${limit}`
    case 'stop':
      return `at stop ${stop}`
    case 'stopLimit':
      return `at stop ${stop}, limit ${limit}`
  }
}

/** What, shortly: "Buy 10 AAPL", or "Bring AAPL to -10" as long as no order is sent for a target. */
export const headline = (signal: Signal): string =>
  signal.targetPosition === null || signal.orderId !== null
    ? `${verb(signal)} ${amount(signal)} ${signal.symbol}`
    : `Bring ${signal.symbol} to ${number(signal.targetPosition)}`
/** What, in full: "Buy 10 AAPL at market". */
export const sentence = (signal: Signal): string => `${headline(signal)} ${terms(signal)}`
export const priceTerms = terms

/** What came of an order that filled: "Bought 10 AAPL at $187.40". */
export const filledSentence = (signal: Signal): string =>
  `${DONE[signal.action]} ${number(signal.filledQuantity)} ${signal.symbol}` +
  (signal.avgFillPrice === null ? '' : ` at ${money(signal.avgFillPrice)}`)

/** The exit in words; null when none is planned. */
export function exitPlan({ action, exitRule }: Signal): { what: string; when: string } | null {
  if (exitRule === null) return null
  const order = exitRule.orderType === 'moc' ? 'in the closing auction' : `at ${exitRule.orderType}`
  const what = `${action === 'openShort' ? 'Buy back what was sold' : 'Sell what was bought'}, ${order}`
  const { triggerType, triggerMinutes: minutes, triggerTime } = exitRule
  return { what, when: TRIGGER[triggerType].when({ minutes, clockTime: `${triggerTime} New York` }) }
}

/** The mode whose accent an account has; undefined, so that of the page, while the account is not known. */
export const modeOf = (account: Account | undefined): 'live' | 'paper' | undefined =>
  account && (isRealMoney(account) ? 'live' : 'paper')

/** Real money unless the account is known to be a demo. */
export const isRealMoney = (account: Account | undefined): boolean => account?.isDemo !== true
