import type { NotifiedDay } from '#db/notify/day-summaries.ts'
import type { DuePush, News, NotifiedAlert, NotifiedOrder, NotifiedSignal } from '#db/notify/outbox.ts'
import { ALERT_NAMES } from '#domain/alert/names.ts'
import { remedyOf } from '#domain/alert/remedies.ts'
import { NYSE_ZONE } from '#domain/time/nyse.ts'
import { magnitude, type Decimal, dollarAmount, figure } from '#domain/money/decimal.ts'
import { withInstants } from '#domain/time/instants.ts'
import { pricedInWords } from '#domain/order/price-words.ts'
import { SIDE_DONE, SIDE_VERBS } from '#domain/order/order.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'

export interface PushContent {
  kind: News['kind'] | 'test'
  title: string
  body: string
  tag: string
  url: string
  expiresAt: string | null
}

export interface PushMessage {
  content: PushContent
  seconds: number
  /** A later message replaces a kept one; at most 32 letters. */
  topic: string
}

/** Characters: a push service takes 4 KiB, a locked screen shows less. */
const LONGEST_BODY = 300

export function messageOf({ news, more, showFigures, expiresAt }: DuePush, now = Date.now()): PushMessage {
  const seconds = Math.max(Math.ceil((expiresAt.getTime() - now) / 1_000), 0)
  const content = contentOf(news, { more, showFigures })
  return { content, seconds, topic: topicOf(content.tag) }
}

interface NotifyRule {
  showFigures: boolean
  more: number
}

function contentOf(news: News, telling: NotifyRule): PushContent {
  switch (news.kind) {
    case 'alert':
      return ofAlert(news.alert, telling.showFigures)
    case 'waiting':
      return ofWaiting(news.signal, telling.showFigures)
    case 'settled':
      return ofSettled(news.signal)
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
): PushContent {
  const { one, several, page } = OUTCOMES[kind]
  const isOne = more === 0
  const plain = isOne ? 'Open it to see more.' : 'Open the app to see them.'
  return {
    kind,
    title: isOne ? one : `${more + 1} ${several}`,
    body: showFigures ? shortened(isOne ? figures : `${figures}, and ${more} more`) : plain,
    tag: `${kind}-${id}`,
    url: isOne ? url : page,
    expiresAt: null,
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

const signed = (amount: Decimal): string =>
  `${amount.startsWith('-') ? '−' : '+'}${dollarAmount(magnitude(amount))}`

const refusalOf = (signal: NotifiedSignal): string =>
  signal.statusDetail === null
    ? orderOf(signal)
    : `${orderOf(signal)}: ${inNewYorkTimes(signal.statusDetail)}`

const ofDay = (
  { id, executed, refused, realised, positions, exitsAhead }: NotifiedDay,
  showFigures: boolean,
) => ({
  kind: 'summary' as const,
  title: 'Market closed: your day',
  body: showFigures
    ? [
        `Realised ${signed(realised)}`,
        `${executed} executed`,
        `${refused} refused`,
        counted(positions, 'open position'),
        `${counted(exitsAhead, 'exit')} ahead`,
      ].join(' · ')
    : 'Open it to see the summary.',
  tag: `summary-${id}`,
  url: '/',
  expiresAt: null,
})

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

export const testMessage = (): PushMessage => ({
  content: {
    kind: 'test',
    title: 'Notifications arrive',
    body: 'This is a test.',
    tag: 'test',
    url: '/settings/notifications',
    expiresAt: null,
  },
  seconds: 60,
  topic: 'test',
})

/** A settled signal replaces only its waiting message. */
function topicOf(tag: string): string {
  const [kind = '', ...rest] = tag.split('-')
  const id = rest.join('')
  return kind === 'signal' || kind === 'alert' ? id : kind.charAt(0).toUpperCase() + id.slice(1)
}

const addressOf = ({ id }: NotifiedSignal): Pick<PushContent, 'tag' | 'url'> => ({
  tag: `signal-${id}`,
  url: `/approvals?signal=${id}`,
})

const ofWaiting = (signal: NotifiedSignal, showFigures: boolean): PushContent => ({
  kind: 'waiting',
  title: 'A signal needs your approval',
  body: showFigures ? describe(signal) : 'Open it to decide.',
  ...addressOf(signal),
  expiresAt: signal.validUntil === null ? null : new Date(signal.validUntil).toISOString(),
})

const ofSettled = (signal: NotifiedSignal): PushContent => ({
  kind: 'settled',
  title: 'No longer needs approval',
  body: 'The signal was decided or has expired.',
  ...addressOf(signal),
  expiresAt: null,
})

const ofAlert = (
  { id, kind, message, data, facts, signalId }: NotifiedAlert,
  showFigures: boolean,
): PushContent => ({
  kind: 'alert',
  title: `Alert: ${ALERT_NAMES[kind]}`,
  body: showFigures
    ? shortened(`${inNewYorkTimes(message)}. ${remedyOf(kind, data, facts).text}`)
    : 'Open it to see what to do.',
  tag: `alert-${id}`,
  url: signalId === null ? '/alerts' : `/signals/${signalId}`,
  expiresAt: null,
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
