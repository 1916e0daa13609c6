import type { NotifiedDay } from '#db/notify/day-summaries.ts'
import { NOTICE_URGENCY } from '#domain/alert/channels.ts'
import type {
  DueNotice,
  News,
  PausedChannel,
  NotifiedAlert,
  NotifiedOrder,
  NotifiedSignal,
} from '#db/notify/news.ts'
import { ALERT_NAMES } from '#domain/alert/names.ts'
import { remedyOf } from '#domain/alert/remedies.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { dollarAmount, figure } from '#domain/money/decimal.ts'
import { withInstants } from '#domain/time/instants.ts'
import { pricedInWords } from '#domain/order/price-words.ts'
import { SIDE_DONE, SIDE_VERBS } from '#domain/order/order.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'
import { counted, letterOf, signed } from './letter.ts'
import type { Notice } from './port.ts'

/** Characters: a locked screen shows no more. */
const LONGEST_BODY = 300

type Content = Pick<Notice, 'title' | 'body' | 'tag' | 'url'> &
  Partial<Pick<Notice, 'expiresAt' | 'decides' | 'details'>>

/** Null for news that show nothing, and events, which are no messages. */
export function noticeOf({ id, news, more, showFigures }: DueNotice): Notice | null {
  if (news.kind === 'event' || news.kind === 'check') return null
  return {
    id: `notice-${id}`,
    kind: news.kind,
    urgency: NOTICE_URGENCY[news.kind],
    expiresAt: null,
    decides: null,
    details: null,
    ...contentOf(news, { more, showFigures }),
  }
}

type PersonalNews = Exclude<News, { kind: 'event' | 'check' }>

interface NotifyRule {
  showFigures: boolean
  more: number
}

function contentOf(news: PersonalNews, telling: NotifyRule): Content {
  switch (news.kind) {
    case 'alert':
      return ofAlert(news.alert, telling)
    case 'waiting':
      return ofWaiting(news.signal, telling.showFigures)
    case 'settled':
      return ofSettled(news.signal)
    case 'paused':
      return ofPaused(news.channel)
    case 'summary':
      return ofDay(news.day, telling.showFigures)
    case 'filled':
      return outcome('filled', ...filledOf(news.filled), telling)
    case 'closed':
      return outcome('closed', news.signal.id, `/signals/${news.signal.id}`, resultOf(news.signal), telling)
    case 'refused':
      return outcome('refused', news.signal.id, `/signals/${news.signal.id}`, refusalOf(news.signal), telling)
  }
}

const OUTCOMES = {
  filled: { one: 'Order filled', several: 'orders filled', page: '/orders?status=FILLED' },
  closed: { one: 'Position closed', several: 'positions closed', page: '/trades' },
  refused: { one: 'Signal refused', several: 'signals refused', page: '/signals?status=rejected,error' },
} as const

function outcome(
  kind: keyof typeof OUTCOMES,
  id: string,
  url: string,
  figures: string,
  { more, showFigures }: NotifyRule,
): Content {
  const { one, several, page } = OUTCOMES[kind]
  const isOne = more === 0
  const plain = isOne ? 'Open it to see more.' : 'Open the app to see them.'
  return {
    title: isOne ? one : `${more + 1} ${several}`,
    body: showFigures ? shortened(isOne ? figures : `${figures}, and ${more} more`) : plain,
    tag: `${kind}-${id}`,
    url: isOne ? url : page,
  }
}

function filledOf(filled: { signal: NotifiedSignal } | { order: NotifiedOrder }): [string, string, string] {
  const order =
    'order' in filled ? filled.order : { ...filled.signal, side: ENTRY_SIDE[filled.signal.action] }
  const { id, side, symbol, filledQuantity, avgFillPrice } = order
  const price = avgFillPrice === null ? '' : ` at ${dollarAmount(avgFillPrice)}`
  const page = 'order' in filled ? `/orders/${id}` : `/signals/${id}`
  return [id, page, `${SIDE_DONE[side]} ${figure(filledQuantity)} ${symbol}${price}`]
}

const resultOf = ({ symbol, result }: NotifiedSignal): string =>
  result === null ? symbol : `${symbol}: ${signed(result)}`

const refusalOf = (signal: NotifiedSignal): string =>
  signal.statusDetail === null
    ? orderOf(signal)
    : `${orderOf(signal)}: ${inNewYorkTimes(signal.statusDetail)}`

const ofDay = (day: NotifiedDay, showFigures: boolean): Content => ({
  title: 'Market closed: your day',
  body: showFigures
    ? [
        `Realised ${signed(day.realised)}`,
        `${day.executed} executed`,
        `${day.refused} refused`,
        counted(day.positions, 'open position'),
        `${counted(day.exitsAhead, 'exit')} ahead`,
      ].join(' · ')
    : 'Open it to see the summary.',
  details: letterOf(day, showFigures),
  tag: `summary-${day.id}`,
  url: '/',
})

export const testNotice = (id: string): Notice => ({
  id: `test-${id}`,
  kind: 'test',
  urgency: 'outcome',
  title: 'Notifications arrive',
  body: 'This is a test.',
  details: null,
  tag: 'test',
  url: '/settings/notifications',
  expiresAt: null,
  decides: null,
})

const addressOf = ({ id }: NotifiedSignal): Pick<Notice, 'tag' | 'url'> => ({
  tag: `signal-${id}`,
  url: `/approvals?signal=${id}`,
})

const ofWaiting = (signal: NotifiedSignal, showFigures: boolean): Content => ({
  title: 'A signal needs your approval',
  body: showFigures ? describe(signal) : 'Open it to decide.',
  ...addressOf(signal),
  expiresAt: signal.validUntil === null ? null : new Date(signal.validUntil).toISOString(),
  decides: signal.isLive ? null : signal.id,
})

const ofSettled = (signal: NotifiedSignal): Content => ({
  title: 'No longer needs approval',
  body: 'The signal was decided or has expired.',
  ...addressOf(signal),
})

const ofPaused = ({ id, name, pauseReason }: PausedChannel): Content => ({
  title: 'A channel is paused',
  body: shortened(`${name} gets no more notifications: ${pauseReason}`),
  tag: `paused-${id}`,
  url: '/settings/notifications',
})

const ofAlert = (
  { id, kind, message, data, facts, signalId }: NotifiedAlert,
  { more, showFigures }: NotifyRule,
): Content => ({
  title: more === 0 ? `Alert: ${ALERT_NAMES[kind]}` : `${more + 1} alerts, the latest: ${ALERT_NAMES[kind]}`,
  body: showFigures
    ? shortened(`${inNewYorkTimes(message)}. ${remedyOf(kind, data, facts).text}`)
    : 'Open it to see what to do.',
  tag: `alert-${id}`,
  url: signalId === null || more > 0 ? '/alerts' : `/signals/${signalId}`,
})

function shortened(text: string): string {
  const letters = Array.from(text)
  return letters.length <= LONGEST_BODY ? text : `${letters.slice(0, LONGEST_BODY - 1).join('')}…`
}

const describe = (signal: NotifiedSignal): string =>
  signal.validUntil === null
    ? orderOf(signal)
    : `${orderOf(signal)} · until ${inNewYork.format(new Date(signal.validUntil))} New York`

function orderOf({ action, quantity, quantityType, symbol, ...prices }: NotifiedSignal): string {
  const size = {
    fixed: quantity,
    percentEquity: `${quantity} % of equity in`,
    dollarAmount: `$${quantity} of`,
    riskPercent: `${quantity} % of equity at risk in`,
    riskDollars: `$${quantity} at risk in`,
    percentPosition: `${quantity} % of the position in`,
  }
  return `${SIDE_VERBS[ENTRY_SIDE[action]]} ${size[quantityType]} ${symbol} ${pricedInWords(prices)}`
}

const inNewYorkTimes = (text: string): string =>
  withInstants(text, (instant) => `${inNewYork.format(instant)} New York`)

const inNewYork = new Intl.DateTimeFormat('en-GB', {
  timeZone: NYSE_ZONE,
  hour: '2-digit',
  minute: '2-digit',
})
