import type { OrderDetail } from '#client/types.ts'
import { isTerminal } from '#domain/order.ts'
import { ask, askOnce } from '../../connection/ask.ts'
import { Problem } from '../../connection/problem.ts'
import { readChanged } from '../../connection/queries.ts'
import { mayHaveArrived } from '../../parts/action.ts'
import { acceptedWords } from '../../signals/sending.ts'
import type { Sent } from './ticket.ts'

/** What came of a ticket: the order, or the signal that it became. */
export interface Placed {
  as: 'order' | 'signal'
  id: string
  message: string
  /** The order that was to be changed is cancelled, and the one in its place was refused. */
  isRefused?: boolean
}

/** Changes a working order into what a ticket says: {@link cancelFor}, and then {@link place}. */
export async function change(order: OrderDetail, sent: Sent, key: string): Promise<Placed> {
  await cancelFor(order)
  try {
    return await place(sent, key)
  } catch (error) {
    if (!(error instanceof Problem) || mayHaveArrived(error)) throw error
    const message = `The working order is cancelled, and the new one was refused: ${error.message}`
    return { as: 'order', id: order.id, message, isRefused: true }
  }
}

/** Sends a ticket; with the same key, or the same sourceId, it does nothing twice. */
export async function place(sent: Sent, key: string): Promise<Placed> {
  try {
    if (sent.as === 'order') {
      const { body } = await askOnce(key, 'POST /api/v1/orders', { body: sent.body })
      if (!('order' in body)) throw new TypeError('The service did not answer with an order')
      return { as: 'order', id: body.order.id, message: body.order.message }
    }
    const { body } = await ask('POST /api/v1/signals', { body: sent.body })
    if (!('signal' in body)) throw new TypeError('The service did not answer with a signal')
    return { as: 'signal', id: body.signal.id, ...acceptedWords(body) }
  } finally {
    void readChanged('orders')
    void readChanged('positions')
  }
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
 * Throws a {@link Problem} that says how the order stands where it has not ended so, or has filled further meanwhile.
 */
async function cancelFor({ id, filledQuantity }: OrderDetail): Promise<void> {
  await ask('DELETE /api/v1/orders/{orderId}', { path: { orderId: id } }).catch((error: unknown) => {
    // It has ended: how, its status tells.
    if (!(error instanceof Problem) || error.code !== 'ORDER_NOT_CANCELLABLE') throw error
  })
  for (let look = 0; look < END_LOOKS; look++) {
    const order = await statusOf(id)
    if (isTerminal(order.status)) {
      void readChanged('orders')
      if (order.status !== 'FILLED' && order.filledQuantity === filledQuantity) return
      throw new Problem(
        409,
        'ORDER_FILLED_MEANWHILE',
        `${order.filledQuantity} shares of the order had filled before it was cancelled. No other order was placed.`,
        null,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, END_LOOK_EVERY_MS))
  }
  throw new Problem(
    409,
    'CANCEL_NOT_CONFIRMED',
    'The broker has not confirmed the cancel of the order yet. No other order was placed. Press again to wait on.',
    null,
  )
}
