import type { DuePush, ToldAlert, ToldSignal } from '#db/push/outbox.ts'
import { ALERT_NAMES } from '#domain/alert-names.ts'
import { NYSE_ZONE } from '#domain/calendar/nyse.ts'
import { SIDE_VERBS } from '#domain/order.ts'
import { ENTRY_SIDE } from '#domain/signal.ts'

/** The content that the web app gets, and shows as a notification. */
export interface PushContent {
  kind: DuePush['news']['kind'] | 'test'
  title: string
  body: string
  /** Of two notifications with the same tag the later one takes the place of the other. */
  tag: string
  /** The page that a press on it opens, as an address of the web app. */
  url: string
  /** When it has lost its meaning, ISO; null where it keeps it. */
  expiresAt: string | null
}

/** A message to a browser, and how push services treat it. */
export interface PushMessage {
  content: PushContent
  /** For which the push service keeps it while the browser cannot be reached. */
  seconds: number
  /** A later message of the same topic takes the place of one that is kept; at most 32 letters. */
  topic: string
}

/** A push service takes 4 KiB, and a locked screen shows less than this. */
const LONGEST_BODY = 300

/** The message that tells of a row of the outbox. */
export function messageOf({ news, showFigures, expiresAt }: DuePush, now = Date.now()): PushMessage {
  const seconds = Math.max(Math.ceil((expiresAt.getTime() - now) / 1_000), 0)
  if (news.kind === 'alert')
    return { content: ofAlert(news.alert, showFigures), seconds, topic: topicOf(news.alert.id) }
  const content = news.kind === 'waiting' ? ofWaiting(news.signal, showFigures) : ofSettled(news.signal)
  return { content, seconds, topic: topicOf(news.signal.id) }
}

/** A notification that tells nothing, by which people see that theirs arrive. */
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

const topicOf = (id: string): string => id.replaceAll('-', '')

const addressOf = ({ id }: ToldSignal): Pick<PushContent, 'tag' | 'url'> => ({
  tag: `signal-${id}`,
  url: `/approvals?signal=${id}`,
})

const ofWaiting = (signal: ToldSignal, showFigures: boolean): PushContent => ({
  kind: 'waiting',
  title: 'A signal waits for you',
  body: showFigures ? describe(signal) : 'Open it to decide.',
  ...addressOf(signal),
  expiresAt: signal.validUntil === null ? null : new Date(signal.validUntil).toISOString(),
})

const ofSettled = (signal: ToldSignal): PushContent => ({
  kind: 'settled',
  title: 'No longer waits',
  body: 'The signal was decided, or its time is over.',
  ...addressOf(signal),
  expiresAt: null,
})

const ofAlert = ({ id, kind, message, signalId }: ToldAlert, showFigures: boolean): PushContent => ({
  kind: 'alert',
  title: `Alert: ${ALERT_NAMES[kind]}`,
  body: showFigures ? shortened(message) : 'Open it to see what to do.',
  tag: `alert-${id}`,
  url: signalId === null ? '/alerts' : `/signals/${signalId}`,
  expiresAt: null,
})

function shortened(text: string): string {
  const letters = Array.from(text)
  return letters.length <= LONGEST_BODY ? text : `${letters.slice(0, LONGEST_BODY - 1).join('')}…`
}

/** Such as "Buy 10 AAPL at 190.5 or better · until 15:45 New York". */
function describe({ action, quantity, quantityType, symbol, limitPrice, validUntil }: ToldSignal): string {
  const size = {
    fixed: quantity,
    percentEquity: `${quantity} % of equity in`,
    dollarAmount: `$${quantity} of`,
  }
  const price = limitPrice === null ? 'at market' : `at ${limitPrice} or better`
  const order = `${SIDE_VERBS[ENTRY_SIDE[action]]} ${size[quantityType]} ${symbol} ${price}`
  return validUntil === null ? order : `${order} · until ${inNewYork.format(new Date(validUntil))} New York`
}

const inNewYork = new Intl.DateTimeFormat('en-GB', {
  timeZone: NYSE_ZONE,
  hour: '2-digit',
  minute: '2-digit',
})
