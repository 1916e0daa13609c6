import { BrokerOutcomeUnknown, type OrderStreamEvent } from '../port.ts'
import { readWire, wireOrder, wireTradeUpdate, type WireOrder, type WireTradeUpdate } from './wire.ts'

/** An event of the stream, and its order. Throws {@link BrokerOutcomeUnknown} when a part of it cannot be read. */
export function readEvent(data: unknown): { event: OrderStreamEvent; order: WireOrder } {
  const update = readWire(wireTradeUpdate, data, 'order event')
  const order = readWire(wireOrder, update.order, 'order event')
  const amendment = amendmentOf(update)
  return {
    event: { kind: update.event, execution: executionOf(update), ...(amendment && { amendment }) },
    order,
  }
}

const FILL_EVENTS: ReadonlySet<string> = new Set(['fill', 'partial_fill'])

/** The execution that a fill event tells of. A fill without one is not let pass: positions follow from it. */
function executionOf({ event, execution_id, qty, price, timestamp }: WireTradeUpdate) {
  if (!FILL_EVENTS.has(event)) return null
  if (!execution_id || !qty || !price || !timestamp) {
    throw new BrokerOutcomeUnknown('The broker told of a fill without its execution')
  }
  return { executionId: execution_id, quantity: qty, price, at: timestamp }
}

/** The execution that a bust or a correction takes back. An event that does not name it is not let pass, like a fill. */
function amendmentOf(update: WireTradeUpdate): OrderStreamEvent['amendment'] {
  const { event, execution_id, previous_execution_id, qty, price } = update
  if (event !== 'trade_bust' && event !== 'trade_correct') return undefined
  const executionId = previous_execution_id ?? (event === 'trade_bust' ? execution_id : null)
  if (!executionId) throw new BrokerOutcomeUnknown(`The broker told of a ${event} without its execution`)
  if (event === 'trade_bust') return { executionId, corrected: null }
  if (!execution_id || !qty || !price)
    throw new BrokerOutcomeUnknown('The broker told of a correction without what it corrects to')
  return { executionId, corrected: { executionId: execution_id, quantity: qty, price } }
}
