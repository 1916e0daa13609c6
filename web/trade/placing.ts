import { isTerminal } from '#domain/order/order.ts'
import { ask, askOnce } from '../connection/ask.ts'
import { Problem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { mayHaveArrived } from '../parts/action.ts'
import type { Body, OrderDetail, SignalOfGroup, TradeRequest } from './requests.ts'
import type { Sent } from './sent.ts'

export interface Placed {
  as: 'order' | 'signal'
  id: string
  message: string
  /** Whether it failed, if only in some accounts; of a changed order only the cancellation was done. */
  isRefused?: boolean
  /** The order to change is cancelled, and no other replaces it. */
  isCancelled?: boolean
}

/** Changes a working order: {@link cancelFor}, then {@link place}. */
export async function change(order: OrderDetail, sent: Sent, key: string): Promise<Placed> {
  const left = await cancelFor(order)
  if (left !== null) return { as: 'order', id: order.id, message: left, isRefused: true, isCancelled: true }
  try {
    const placed = await place(sent, key)
    if (placed.isRefused !== true) return placed
    return { ...placed, message: `The working order is cancelled. ${placed.message}`, isCancelled: true }
  } catch (error) {
    if (!(error instanceof Problem) || mayHaveArrived(error)) throw error
    const message = `The working order is cancelled, and the new one was refused: ${error.message}`
    return { as: 'order', id: order.id, message, isRefused: true, isCancelled: true }
  }
}

/** Sends an order or a signal; a repetition with the same key, the sourceId, does nothing. */
export async function place(sent: Sent, key: string): Promise<Placed> {
  try {
    return await (sent.as === 'order' ? placeOrder(sent.body, key) : sendSignal(sent.body))
  } finally {
    void readChanged('orders')
    void readChanged('positions')
  }
}

async function placeOrder(wish: TradeRequest, key: string): Promise<Placed> {
  const { body } = await askOnce(key, 'POST /api/v1/orders', { body: wish })
  if (!('order' in body)) throw new TypeError('The service did not answer with an order')
  return { as: 'order', id: body.order.id, message: body.order.message }
}

async function sendSignal(wish: Body): Promise<Placed> {
  try {
    const { body } = await ask('POST /api/v1/signals', { body: wish })
    if (!('signal' in body)) throw new TypeError('The service did not answer with a signal')
    return { as: 'signal', id: body.signal.id, ...acceptedWords(body) }
  } catch (error) {
    // A signal that was stored and failed has a page.
    const faults: readonly object[] = error instanceof Problem && !mayHaveArrived(error) ? error.faults : []
    const stored = faults.find((fault): fault is { signalId: string } => 'signalId' in fault)
    if (stored === undefined) throw error
    return { as: 'signal', id: stored.signalId, message: (error as Problem).message, isRefused: true }
  }
}

/** Result in words, with the reasons of accounts that denied it. */
function acceptedWords(answer: { message: string }): { message: string; isRefused: boolean } {
  const signals = 'signals' in answer ? (answer.signals as readonly SignalOfGroup[]) : []
  const why = new Set(signals.flatMap(({ code, message }) => (code === null ? [] : [message])))
  const { message } = answer
  return why.size === 0
    ? { message, isRefused: false }
    : { message: `${message}; refused: ${[...why].join('; ')}`, isRefused: true }
}

const END_LOOK_EVERY_MS = 500
/** Most reads of a cancelled order's status, until it has ended. */
const END_LOOKS = 20

const statusOf = async (id: string) =>
  (await ask('GET /api/v1/orders/{orderId}/status', { path: { orderId: id } })).body

/**
 * Cancels an order for another one and waits until it has ended, because until then both could fill. A repetition after
 * a lost answer continues. Returns the reason against another order if it filled meanwhile; null for none. Throws a
 * {@link Problem} if it had filled before, or has not ended yet.
 */
async function cancelFor({ id, filledQuantity }: OrderDetail): Promise<string | null> {
  const before = await statusOf(id)
  if (!isTerminal(before.status) && before.filledQuantity !== filledQuantity)
    throw new Problem(
      409,
      'ORDER_FILLED_MEANWHILE',
      `${before.filledQuantity} shares of the order have filled. It is still open: start the change again.`,
      null,
    )
  await ask('DELETE /api/v1/orders/{orderId}', { path: { orderId: id } }).catch((error: unknown) => {
    // The order has ended; its status says how.
    if (!(error instanceof Problem) || error.code !== 'ORDER_NOT_CANCELLABLE') throw error
  })
  for (let look = 0; look < END_LOOKS; look++) {
    const order = await statusOf(id)
    if (isTerminal(order.status)) {
      void readChanged('orders')
      return order.status !== 'FILLED' && order.filledQuantity === filledQuantity
        ? null
        : `${order.filledQuantity} shares of the order had filled when it ended. No other order was placed.`
    }
    await new Promise((resolve) => setTimeout(resolve, END_LOOK_EVERY_MS))
  }
  throw new Problem(
    409,
    'CANCEL_NOT_CONFIRMED',
    'The cancel was requested, and the broker has not confirmed it yet. No other order was placed. Press again to keep waiting.',
    null,
  )
}
