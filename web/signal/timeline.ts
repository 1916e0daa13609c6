import type { Order, SignalDetail, SignalEvent } from '#client/types.ts'
import { withInstants } from '#domain/time/instants.ts'
import { parseClientOrderId } from '#domain/order/order.ts'
import { isOpening } from '#domain/signal/signal.ts'
import { protectionStep } from '../exit/timeline.ts'
import { money, number } from '../words/figures.ts'
import { priceWords, sideWord } from '../words/order.ts'
import { dayIn, minuteIn, secondIn, ZONES, type Zone } from '../words/times.ts'
import { filledAt } from '../words/status.ts'
import { closeBy, closeSentence, exitSentence, isAllClosed } from './result.ts'

interface Line {
  at: string
  text: string
  /** Milliseconds since the line before; null for the first. */
  after: number | null
  isBad: boolean
}

const BAD: readonly SignalEvent['kind'][] = ['rejected', 'not_placed', 'exit_delayed']

/** Timeline in words, oldest first. */
export const linesOf = (
  events: readonly SignalEvent[],
  signal: SignalDetail,
  orders: readonly Order[],
  zone: Zone,
): Line[] =>
  withCloses(
    withoutRepeats(events, signal).map((event) => ({
      at: event.at,
      text: withInstants(textOf(event, signal, orders, zone), (instant) =>
        timeIn(instant.toISOString(), event.at, zone),
      ),
      isBad: BAD.includes(event.kind),
    })),
    signal,
  ).map((line, index, all) => {
    const before = all[index - 1]
    return { ...line, after: before ? Math.max(0, Date.parse(line.at) - Date.parse(before.at)) : null }
  })

/** Omits the end of a signal if the close of its last shares says the same. */
const withoutRepeats = (events: readonly SignalEvent[], signal: SignalDetail): SignalEvent[] =>
  events.filter(({ kind }) => kind !== 'closed' || signal.exit?.status !== 'filled' || !isAllClosed(signal))

/** Adds closes by others, each before the first later step. */
function withCloses(steps: Omit<Line, 'after'>[], { action, result }: SignalDetail): Omit<Line, 'after'>[] {
  const lines = [...steps]
  for (const close of result.closes.filter(({ by }) => by !== 'exit')) {
    const { at } = close
    const later = lines.findIndex((line) => Date.parse(line.at) > Date.parse(at))
    const text = closeSentence(close, action === 'openShort')
    lines.splice(later === -1 ? lines.length : later, 0, { at, text, isBad: false })
  }
  return lines
}

/** Words for a step; the service's own words contain UTC times and serve only where they say more. */
function textOf(event: SignalEvent, signal: SignalDetail, orders: readonly Order[], zone: Zone): string {
  const data = event.data ?? {}
  const text = (name: string): string | null => (typeof data[name] === 'string' ? data[name] : null)
  const ofLevels = protectionStep(event.kind, data)
  if (ofLevels !== null) return ofLevels
  switch (event.kind) {
    case 'received':
      return signal.sentBy === null ? 'Received' : `Received from ${signal.sentBy}`
    case 'waiting':
      return waiting(event, signal, zone)
    case 'held':
    case 'approval_refused':
      return event.message
    case 'due': {
      const by = text('by')
      return by === null
        ? 'Scheduled time reached'
        : `Approved by ${by}${edits(text('quantity'), text('limitPrice'))}`
    }
    case 'declined': {
      const reason = text('reason')
      return `Declined by ${text('by') ?? 'a person'}${reason === null ? '' : `: ${reason}`}`
    }
    case 'cancelled':
      return text('reason') === 'EXPIRED' ? 'Expired: no order had been sent in time' : event.message
    case 'acknowledged':
      return accepted(event, signal, orders)
    case 'order_progress':
      return progress(event, signal)
    case 'exit_planned': {
      const at = text('submitAt')
      return at === null
        ? event.message
        : `Exit ${text('movedFrom') === null ? 'scheduled for' : 'moved to'} ${timeIn(at, event.at, zone)}${moved(text('reason'))}`
    }
    case 'exit_cancelled':
      return `Exit cancelled by ${text('by') ?? 'a person'}; the position stays open`
    case 'cancel_requested': {
      const by = text('by')
      return by === null
        ? event.message
        : `${by} requested to cancel the ${nameOf(text('clientOrderId'), signal)}; it may fill until the broker confirms`
    }
    case 'placed':
    case 'transmitted':
    case 'rejected':
    case 'not_placed':
    case 'exit_delayed':
    case 'protection_moved':
    case 'order_changed_by_broker':
    case 'protection_changed':
    case 'closed':
    case 'reopened':
      return event.message
  }
}

function waiting({ data, at }: SignalEvent, { heldPrice }: SignalDetail, zone: Zone): string {
  const until = typeof data?.['until'] === 'string' ? data['until'] : null
  const time = until === null ? '' : `, until ${timeIn(until, at, zone)}`
  const behind = data?.['behind']
  if (Array.isArray(behind))
    return `Waits for ${behind.length === 1 ? 'an earlier signal' : `${behind.length} earlier signals`} of its account and symbol${time} at most`
  if (data?.['for'] === 'time')
    return until === null ? 'Waits for its time' : `Waits for its time, ${timeIn(until, at, zone)}`
  if (data?.['for'] === 'session')
    return 'The exchange is closed: it waits at the broker for the next session'
  return `Needs approval${time}${heldPrice === null ? '' : `. Last price ${money(heldPrice)}`}`
}

const edits = (quantity: string | null, limitPrice: string | null): string => {
  const parts = [
    quantity !== null && `quantity ${number(Number(quantity))}`,
    limitPrice !== null && `limit ${money(Number(limitPrice))}`,
  ].filter(Boolean)
  return parts.length === 0 ? '' : `, with ${parts.join(' and ')}`
}

function accepted(
  { data, message }: SignalEvent,
  signal: Pick<SignalDetail, 'action'>,
  orders: readonly Order[],
): string {
  const order = orders.find(
    ({ brokerOrderId }) => brokerOrderId !== null && brokerOrderId === data?.['brokerOrderId'],
  )
  // An exit changes the prices of its order, and the record has the present ones: the service's words have the earlier
  // ones.
  if (!order || (order.role === 'exit' && order.orderType !== 'MARKET')) return message
  const { side, quantity, symbol, timeInForce, role } = order
  const name = role === 'entry' && !isOpening(signal.action) ? 'closing order' : role
  return `The broker accepted the ${name === 'manual' ? 'order' : name}: ${sideWord({ side }).toLowerCase()} ${number(quantity)} ${symbol}, ${priceWords(order)} (${timeInForce.toLowerCase()})`
}

/** Name by the order's role, or as a closing order. */
const nameOf = (clientOrderId: string | null, signal: Pick<SignalDetail, 'action'>): string => {
  const { role, purpose } = (clientOrderId === null ? null : parseClientOrderId(clientOrderId)) ?? {}
  if (role === undefined) return 'order'
  if (purpose === 'plan') return 'exit order at the broker'
  if (purpose === 'target') return 'take profit order'
  return role === 'entry' && !isOpening(signal.action) ? 'closing order' : `${role} order`
}

const PROGRESS: Readonly<Record<Order['status'], string>> = {
  PENDING: 'waits at the broker',
  OPEN: 'is working',
  PARTIALLY_FILLED: 'is partly filled',
  FILLED: 'is filled',
  CANCELLED: 'is cancelled',
  REJECTED: 'was rejected by the broker',
  EXPIRED: 'has expired',
}

function progress({ data, message }: SignalEvent, signal: Pick<SignalDetail, 'action' | 'result'>): string {
  const status = data?.['status']
  const filled = Number(data?.['filledQuantity'] ?? Number.NaN)
  // A cancelled execution comes without a status.
  if (typeof status !== 'string' || !(status in PROGRESS) || Number.isNaN(filled)) return message
  const close = closeBy(data?.['clientOrderId'], signal)
  if (close?.quantity === filled) return exitSentence(close, signal.action === 'openShort')
  const price = data?.['avgFillPrice']
  const name = nameOf(typeof data?.['clientOrderId'] === 'string' ? data['clientOrderId'] : null, signal)
  const much = filled > 0 ? `: ${filledAt(filled, typeof price === 'string' ? Number(price) : null)}` : ''
  const reason = /\(([^()]+)\)$/.exec(message)?.[1]
  return `The ${name} ${PROGRESS[status as Order['status']]}${much}${reason === undefined ? '' : ` (${reason})`}`
}

const moved = (reason: string | null): string =>
  reason === 'exit_rolled_to_next_session'
    ? ', in the next session'
    : reason === 'exit_moved_before_early_close'
      ? ', before the early close'
      : ''

/** "15:45 New York", with its day if it differs from the line's. */
function timeIn(instant: string, line: string, zone: Zone): string {
  const day = dayIn(instant, zone) === dayIn(line, zone) ? '' : `${dayIn(instant, zone)}, `
  const near = Math.abs(Date.parse(instant) - Date.parse(line)) < 600_000
  const time = near ? secondIn(instant, zone) : minuteIn(instant, zone)
  return `${day}${time} ${ZONES[zone]}`
}
