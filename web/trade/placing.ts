import { isTerminal } from '#domain/order/order.ts'
import { ask, askOnce } from '../connection/ask.ts'
import { Problem } from '../connection/problem.ts'
import { readChanged } from '../connection/queries.ts'
import { mayHaveArrived } from '../parts/action.ts'
import type { Body, OrderDetail, SignalOfGroup, TradeRequest } from './requests.ts'
import type { Sent } from './sent.ts'

/** The order or the signal that was sent. */
export interface Placed {
  as: 'order' | 'signal'
  id: string
  message: string
  /** It came to nothing, or not in every account; of a changed order the cancel alone was done. */
  isRefused?: boolean
  /** The order that was to be changed is cancelled, and nothing stands in its place. */
  isCancelled?: boolean
}

/** Changes a working order into what the form says: {@link cancelFor}, and then {@link place}. */
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

/** Sends an order or a signal; with the same key, which is the sourceId, it does nothing twice. */
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
    // A signal that was stored and came to nothing has a story.
    const faults: readonly object[] = error instanceof Problem && !mayHaveArrived(error) ? error.faults : []
    const stored = faults.find((fault): fault is { signalId: string } => 'signalId' in fault)
    if (stored === undefined) throw error
    return { as: 'signal', id: stored.signalId, message: (error as Problem).message, isRefused: true }
  }
}

/** What an accepted signal came to in words, with why some of several accounts have refused it. */
function acceptedWords(answer: { message: string }): { message: string; isRefused: boolean } {
  const signals = 'signals' in answer ? (answer.signals as readonly SignalOfGroup[]) : []
  const why = new Set(signals.flatMap(({ code, message }) => (code === null ? [] : [message])))
  const { message } = answer
  return why.size === 0
    ? { message, isRefused: false }
    : { message: `${message}; refused: ${[...why].join('; ')}`, isRefused: true }
}

const END_LOOK_EVERY_MS = 500
/** So long the end of a cancelled order is waited for. */
const END_LOOKS = 20

const statusOf = async (id: string) =>
  (await ask('GET /api/v1/orders/{orderId}/status', { path: { orderId: id } })).body

/**
 * Cancels an order for the sake of another, and waits until it has ended: only then may the other be placed, because until then both
 * could fill. Sent again after a lost answer it goes on where it was.
 *
 * Returns why no other order may be placed where it has filled further while it was cancelled; null where one may. Throws a
 * {@link Problem} where it had filled further before, or has not ended yet.
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
    // It has ended: how, its status tells.
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
