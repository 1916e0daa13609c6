import { compare, type Decimal } from '#domain/money/decimal.ts'
import { isTerminal, isWorking, type OrderReport } from '#domain/order/order.ts'
import type { Distance } from '#domain/exit/protection.ts'
import type { BrokerHttp } from '../http.ts'
import { BrokerBusy, type Broker, type OrderChange, type Permit } from '../port.ts'
import { placedAs, successorName } from './names.ts'
import type { LogicalOrder, LogicalOrders } from './logical-orders.ts'
import { orderStatus, isNotFound, isRuledOut, requestError } from './orders.ts'
import { isSuccess } from './reads.ts'
import { readJson, readWire, wireReplacement, type WireOrder } from './wire.ts'

/** Milliseconds before a refused cancel or change is repeated. */
const AGAIN_MS = 500
const PASSING_STATUSES: ReadonlySet<WireOrder['status']> = new Set([
  'pending_new',
  'pending_cancel',
  'pending_replace',
  'accepted_for_bidding',
])

export async function cancelOrder(
  http: BrokerHttp,
  orders: LogicalOrders,
  brokerOrderId: string,
  asked: readonly string[] = [],
): ReturnType<Broker['cancelOrder']> {
  const cancel = (known: string) => http.send('DELETE', `/v2/orders/${encodeURIComponent(known)}`)
  const id = asked.length === 0 ? orders.replacements.latestOf(brokerOrderId) : brokerOrderId
  const answer = await cancel(id)
  if (isSuccess(answer)) return 'requested'
  if (isNotFound(answer)) return 'not_found'
  if (answer.status !== 422) throw requestError(answer, 'cancel')
  // Ask instead of reading the message.
  const order = await orders.byId(brokerOrderId)
  if (!order) return 'not_found'
  if (isTerminal(order.report.status)) return 'too_late'
  const parts = [order.now, order.stop].filter((part) => part !== null)
  const working = parts.filter((part) => isWorking(orderStatus(part)))
  const now = [...asked, id]
  const other = working.find((part) => !now.includes(part.id) && part.status !== 'pending_cancel')
  // The order was replaced, or one part has ended without the other.
  if (other) return cancelOrder(http, orders, other.id, now)
  if (working.every(({ status }) => status === 'pending_cancel')) return 'requested'
  throw new BrokerBusy(`The broker cannot cancel an order that is ${working[0]!.status}`, AGAIN_MS)
}

export async function changeOrder(
  http: BrokerHttp,
  orders: LogicalOrders,
  brokerOrderId: string,
  change: OrderChange,
  permit?: Permit,
): ReturnType<Broker['changeOrder']> {
  const order = await orders.byLatestOf(brokerOrderId)
  if (!order) return 'not_found'
  if (isTerminal(order.report.status)) return 'too_late'
  const requests = requestsFor(order, change)
  if (requests === null) return 'refused'
  for (const { part, fields } of requests) {
    const name = placedAs(order.report.clientOrderId)
    const body = { ...fields, ...(name !== null && { client_order_id: successorName(name) }) }
    const path = `/v2/orders/${encodeURIComponent(part.id)}`
    const answer = await http.send('PATCH', path, JSON.stringify(body), await permit?.())
    if (isSuccess(answer)) {
      orders.replacements.note(part.id, readWire(wireReplacement, readJson(answer.body, 'order'), 'order').id)
      continue
    }
    if (isNotFound(answer)) return 'not_found'
    if (!isRuledOut(answer)) throw requestError(answer, 'change of an order')
    return standing(await orders.byLatestOf(brokerOrderId), change, part.status)
  }
  return 'requested'
}

function standing(
  order: LogicalOrder | null,
  change: OrderChange,
  was: WireOrder['status'],
): Awaited<ReturnType<Broker['changeOrder']>> {
  if (!order) return 'not_found'
  if (isTerminal(order.report.status)) return 'too_late'
  if (requestsFor(order, change)?.length === 0) return 'requested'
  const passing = [was, order.now.status, order.stop?.status].find(
    (status) => status && PASSING_STATUSES.has(status),
  )
  if (passing) throw new BrokerBusy(`The broker cannot change an order that is ${passing}`, AGAIN_MS)
  return 'refused'
}

interface ChangeRequest {
  part: WireOrder
  fields: Record<string, Decimal>
}

/** Null where the change would make it another kind of order. */
function requestsFor({ report, now, stop }: LogicalOrder, change: OrderChange): ChangeRequest[] | null {
  const fields = fieldsFor(report, change)
  if (fields === null) return null
  const isPair = report.orderType === 'oco'
  if (isPair && (fields.qty !== undefined || stop === null)) return null
  const { stop_price, stop_limit_price, ...rest } = fields
  const ofStop = {
    ...(stop_price && { stop_price }),
    ...(stop_limit_price && { limit_price: stop_limit_price }),
  }
  const requests = isPair
    ? [
        { part: stop!, fields: ofStop },
        { part: now, fields: rest },
      ]
    : [{ part: now, fields: { ...ofStop, ...rest } }]
  return requests.filter((request) => Object.keys(request.fields).length > 0)
}

type Fields = Partial<Record<'qty' | 'limit_price' | 'stop_price' | 'stop_limit_price' | 'trail', Decimal>>

/** Null where a field appears or disappears. */
function fieldsFor(report: OrderReport, change: OrderChange): Fields | null {
  const pairs = [
    ['qty', change.quantity, report.quantity],
    ['limit_price', change.limitPrice, report.limitPrice],
    ['stop_price', change.stopPrice, report.stopPrice],
    ['stop_limit_price', change.stopLimitPrice, report.stopLimitPrice ?? null],
    ['trail', ...trails(change.trail, report.trail ?? null)],
  ] as const
  const asked = pairs.filter(([, wanted, has]) => wanted !== undefined && (wanted !== null || has !== null))
  if (asked.some(([, wanted, has]) => wanted === null || has === null)) return null
  return Object.fromEntries(
    asked.filter(([, wanted, has]) => compare(wanted!, has!) !== 0).map(([name, wanted]) => [name, wanted]),
  )
}

function trails(
  wanted: Distance | null | undefined,
  has: Distance | null,
): [wanted: Decimal | null | undefined, has: Decimal | null] {
  const figure = (trail: Distance): Decimal => ('percent' in trail ? trail.percent : trail.amount)
  if (wanted === undefined) return [undefined, null]
  const isSameKind = wanted !== null && has !== null && 'percent' in wanted === 'percent' in has
  return [wanted && figure(wanted), has && (wanted === null || isSameKind) ? figure(has) : null]
}
