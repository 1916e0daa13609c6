import assert from 'node:assert/strict'
import { parseClientOrderId, type OrderRole } from '#domain/order/order.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { untilRunFits } from '#test/chaos/timing.ts'
import { eventually, type Patience } from '#test/support/eventually.ts'
import type { Stack } from '#test/support/stack.ts'
import type { Ledger, LedgerOrder } from '#test/support/venue-desk.ts'
import type { SignalOutcome } from '#workflows/signal/contract.ts'

/** The body of a webhook: buy 10 AAPL at market now, unless told otherwise. */
export const buyNow = (stack: Stack, changes: object = {}): object => ({
  symbol: 'AAPL',
  action: 'openLong',
  accountId: stack.accountId,
  quantity: 10,
  executeMode: 'immediate',
  ...changes,
})

/** Sends a signal that is to be accepted, as {@link buyNow} has it; returns its id. */
export async function accepted(stack: Stack, changes: object): Promise<string> {
  const { status, body } = await stack.api.post('/signals', buyNow(stack, changes), 20_000)
  assert.ok(status < 300, JSON.stringify(body))
  return body.signal.id
}

/** Shares that the venue's account holds in a symbol, negative for a short position. */
export const heldAtVenue = async (stack: Stack, symbol: string): Promise<string> =>
  (await stack.venue.ledger()).positions.find((position) => position.symbol === symbol)?.qty ?? '0'

/** What senders do and see on a service, which may be started later. */
export const senderOn = (service: { readonly stack: Stack }) => {
  const held = (symbol: string): Promise<string> => heldAtVenue(service.stack, symbol)
  return {
    held,
    /** Posts {@link buyNow}, whatever is answered. */
    send: (changes: object = {}, timeoutMs?: number): Promise<ApiAnswer> =>
      service.stack.api.post('/signals', buyNow(service.stack, changes), timeoutMs),
    /** Sends a signal that is to be accepted; its id. */
    sent: (changes: object = {}): Promise<string> => accepted(service.stack, changes),
    /** Holds the price of a symbol, which is returned. */
    async pinned(symbol: string, price = 100): Promise<string> {
      await service.stack.venue.pin(symbol, price)
      return symbol
    },
    untilHeld: (symbol: string, quantity: number, within = 20_000): Promise<void> =>
      eventually(async () => assert.equal(Number(await held(symbol)), quantity), { within }),
  }
}

/** The orders that the venue holds of a signal, in the order of their acceptance. */
export const ordersAtVenue = ({ orders }: Ledger, signalId: string, role?: OrderRole): LedgerOrder[] =>
  orders.filter(({ client_order_id }) => {
    const identity = parseClientOrderId(client_order_id)
    return identity?.signalId === signalId && (role === undefined || identity.role === role)
  })

/**
 * Waits until the signal's workflow has ended, and returns how. Around midnight in New York it is waited for longer: an exit that would
 * leave in the last minute of the day comes in the next session.
 */
export async function endOf(
  stack: Stack,
  signalId: string,
  { within = 20_000, every = 200 }: Patience = {},
): Promise<SignalOutcome> {
  const client = await stack.temporal()
  const handle = client.workflow.getHandle(workflowIdFor(signalId))
  await eventually(
    async () => assert.notEqual((await handle.describe()).status.name, 'RUNNING', 'the workflow still runs'),
    { within: within + untilRunFits(Date.now(), within), every },
  )
  return (await handle.result()) as SignalOutcome
}

/** The signal as GET /signals/:id shows it. */
export async function shown(stack: Stack, signalId: string): Promise<ApiAnswer['body']> {
  const answer = await stack.api.get(`/signals/${signalId}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.data
}

/**
 * Waits until the signal has ended and then holds every book against the others: one entry and one exit at the
 * venue, of the same size, the second placed after the first was filled, and the service says so too.
 */
export async function assertOneEntryOneExit(
  stack: Stack,
  signalId: string,
  patience: Patience = {},
): Promise<void> {
  const outcome = await endOf(stack, signalId, patience)
  assert.equal(outcome.status, 'executed')
  const ledger = await stack.venue.ledger()
  const [entry, ...otherEntries] = ordersAtVenue(ledger, signalId, 'entry')
  const [exit, ...otherExits] = ordersAtVenue(ledger, signalId, 'exit')
  assert.ok(entry && exit, 'there is an entry and an exit')
  assert.deepEqual([otherEntries, otherExits], [[], []], 'there is no second order')
  assert.equal(entry.status, 'filled')
  assert.equal(exit.status, 'filled')
  assert.equal(exit.filled_qty, entry.filled_qty)
  assert.ok(exit.created_at >= entry.filled_at!, 'the exit came after the fill of the entry')
  assert.deepEqual([outcome.entryFilled, outcome.exitFilled], [entry.filled_qty, exit.filled_qty])
  const signal = await shown(stack, signalId)
  assert.equal(signal.status, 'executed')
  assert.equal(signal.filledQuantity, Number(entry.filled_qty))
  assert.equal(signal.exit.status, 'filled')
}
