import assert from 'node:assert/strict'
import { parseClientOrderId } from '#domain/order/order.ts'
import { admin } from '#test/support/admin-command.ts'
import { eventually } from '#test/support/eventually.ts'
import type { Evidence } from '#test/support/evidence.ts'
import { copyLedger, markedUpTo, restoreLedger } from '#test/support/ledger-copy.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Stack } from '#test/support/stack.ts'
import { collectOrders } from './collect.ts'
import { WATCH_RESUMES_MS } from './killing.ts'

/** Signals that the restored ledger has never heard of. */
const LOST = 5
/** The ledger goes on to be marked every 30 s; the comparison takes a minute. */
const MARKED_WITHIN = { within: 90_000, every: 500 }
const COMPARED_WITHIN = { within: 180_000, every: 1_000 }

/** What a run has to know of a ledger that was restored. */
export interface Rollback {
  evidence: NonNullable<Evidence['rollback']>
  /** When nobody watched; UTC instants. */
  unwatched: { from: string; to: string }
}

/**
 * Copies the ledger, has the service go on until it can tell the copy from what came after, and puts the copy in its place.
 * When the owner has been told of what differs, trading is let go on as docs/operate/back-up.md says. Meanwhile nobody asks the service
 * for anything but a few signals, of which the restored ledger knows nothing.
 */
export async function restoreOlderLedger(stack: Stack): Promise<Rollback> {
  const from = new Date().toISOString()
  // An installation that was never marked cannot be set back.
  await eventually(async () => assert.ok((await markedUpTo(stack)) > 0), MARKED_WITHIN)
  await copyLedger(stack)
  const copied = await markedUpTo(stack)
  for (let number = 0; number < LOST; number += 1) await sendInVain(stack, number)
  await eventually(async () => assert.ok((await markedUpTo(stack)) > copied), MARKED_WITHIN)
  // A workflow may have stored a signal too: one that replaces its own, whose sender was answered before the copy.
  const known = await signalIds(stack)
  const orders = await collectOrders(stack)
  await restoreLedger(stack)
  const left = new Set(await signalIds(stack))
  const gone = new Set(known.filter((id) => !left.has(id)))
  const alert = await eventually(async () => {
    const [found] = await stack.query<{ data: string }>(
      `select data::text as data from alerts where kind = 'set_back' and data ->> 'found' = 'ledger'`,
    )
    assert.ok(found, 'the owner is told that the ledger was set back')
    return found
  }, COMPARED_WITHIN)
  const { code, output } = await admin(stack, 'resume')
  assert.equal(code, 0, output)
  const to = new Date(Date.now() + WATCH_RESUMES_MS).toISOString()
  const placed = (await stack.venue.ledger()).orders.map((order) => order.client_order_id)
  const lost = placed.filter((id) => gone.has(parseClientOrderId(id)?.signalId ?? ''))
  assert.ok(lost.length >= LOST, 'the orders of the signals that were sent in vain are at the broker')
  return { evidence: { lost, told: alert.data, orders }, unwatched: { from, to } }
}

const signalIds = async (stack: Stack): Promise<string[]> =>
  (await stack.query<{ id: string }>('select id from signals')).map(({ id }) => id)

/** A signal that fills and stays; in a symbol of its own. */
async function sendInVain(stack: Stack, number: number): Promise<void> {
  const signal = {
    symbol: `ZTLOST${lettersOf(number)}`,
    action: 'openLong',
    quantity: 5,
    executeMode: 'immediate',
  }
  await eventually(
    async () => {
      const body = { ...signal, accountId: stack.accountId, sourceId: `lost-${number}` }
      const answer = await stack.api.post('/signals', body)
      assert.ok(answer.status < 300, JSON.stringify(answer.body))
      assert.equal(answer.body.signal.status, 'executed')
    },
    { within: 60_000, every: 1_000 },
  )
}
