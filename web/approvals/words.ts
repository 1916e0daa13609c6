import type { Account, Signal } from '#client/types.ts'

const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' })
const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 9 })
const NEW_YORK = 'America/New_York'

export const money = (amount: number): string => dollars.format(amount).replace('-', '−')
export const number = (value: number): string => plain.format(value).replace('-', '−')

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

/** What, shortly: "Buy 10 AAPL". */
export const headline = (signal: Signal): string => `${verb(signal)} ${amount(signal)} ${signal.symbol}`
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
  const minutes = number(exitRule.triggerMinutes ?? 0)
  const WHEN = {
    minutesAfterEntry: `${minutes} minutes after the entry`,
    minutesBeforeClose: `${minutes} minutes before the close`,
    atClockTime: `at ${exitRule.triggerTime ?? ''} New York`,
    immediate: 'as soon as the entry has ended',
  } as const
  return { what, when: WHEN[exitRule.triggerType] }
}

const clockIn = (zone: string | undefined, seconds: boolean) =>
  new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
    ...(zone !== undefined && { timeZone: zone }),
  })
const dayIn = (zone: string) =>
  new Intl.DateTimeFormat('en-GB', { weekday: 'short', day: 'numeric', month: 'short', timeZone: zone })
const marketMinute = clockIn(NEW_YORK, false)
const marketSecond = clockIn(NEW_YORK, true)
const hereMinute = clockIn(undefined, false)
const marketDay = dayIn(NEW_YORK)

/** An instant with its zone: "10:34:54 New York". */
export const marketTime = (instant: string | number): string =>
  `${marketSecond.format(new Date(instant))} New York`

/** In exchange time and here, with the day where it is another: "15:45 New York · 21:45 here". */
export function bothTimes(instant: string, now: number): string {
  const at = new Date(instant)
  const day = marketDay.format(at) === marketDay.format(now) ? '' : `${marketDay.format(at)}, `
  const market = `${day}${marketMinute.format(at)} New York`
  const here = hereMinute.format(at)
  return here === marketMinute.format(at) ? market : `${market} · ${here} here`
}

/** Time left as a clock: "0:38", "4:12", "2:05:09"; days beyond two. */
export function timeLeft(ms: number): string {
  const all = Math.max(0, Math.ceil(ms / 1_000))
  const hours = Math.floor(all / 3_600)
  if (hours >= 48) return `${Math.floor(hours / 24)} days`
  const two = (value: number) => String(value).padStart(2, '0')
  const rest = `${hours > 0 ? two(Math.floor((all % 3_600) / 60)) : Math.floor(all / 60)}:${two(all % 60)}`
  return hours > 0 ? `${hours}:${rest}` : rest
}

/** How long ago: "48 s ago", "3 min ago". */
export function age(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000))
  if (seconds < 60) return `${seconds} s ago`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`
  return seconds < 172_800
    ? `${Math.floor(seconds / 3_600)} h ago`
    : `${Math.floor(seconds / 86_400)} days ago`
}

/** The mode whose accent an account has; undefined, so that of the page, while the account is not known. */
export const modeOf = (account: Account | undefined): 'live' | 'paper' | undefined =>
  account && (isRealMoney(account) ? 'live' : 'paper')

/** Real money unless the account is known to be a demo. */
export const isRealMoney = (account: Account | undefined): boolean => account?.isDemo !== true
