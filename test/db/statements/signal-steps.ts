import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { recordCancelledFor } from '#db/exit/exits.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import {
  recordCancelled,
  recordDeclined,
  recordDue,
  recordExitCancelled,
  recordReplaced,
  recordWaiting,
  replaceUnfilled,
} from '#db/signal/decision-ledger.ts'
import {
  recordCancelRequested,
  recordClosed,
  type SignalEnd,
  recordAccepted,
  recordExitScheduled,
  recordExitTrouble,
  acknowledgeEnds,
  recordNotPlaced,
  recordTransmitted,
} from '#db/signal/ledger.ts'
import { acknowledgeUnfollowed, noteReopened } from '#db/signal/reopening.ts'
import { storeSignals } from '#db/signal/storing.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { step, type ComposedStep } from './step.ts'

const AT = '2026-03-02T15:00:02.000Z'
const BY = 'ann@example.test'
const RECEIVED = { key: 'received', kind: 'received', at: AT, message: 'Received' } as const

const queued = (em: EntityManager) => createSignal(em)
const pending = (em: EntityManager) => createSignal(em, { status: 'pending' })

/** The entry order is at the broker, and an exit is to follow. */
async function accepted(em: EntityManager): Promise<Signal> {
  const signal = await createSignal(em, { exitRule: exitAtOnce, exitStatus: 'waiting' })
  await recordAccepted(em, orderReport(signal))
  return signal
}
async function filled(em: EntityManager): Promise<Signal> {
  const signal = await accepted(em)
  await applyOrderReport(em, signal.accountId, entryEnd(signal))
  return signal
}
async function closed(em: EntityManager): Promise<Signal> {
  const signal = await filled(em)
  await recordClosed(em, signal.id, AT, end(signal))
  return signal
}

const entryEnd = (signal: Signal): OrderReport => withFill(orderReport(signal), '10')
const end = (signal: Signal): SignalEnd => ({
  message: 'over',
  acknowledges: [entryEnd(signal)],
  exit: { generation: 1, status: 'filled', reason: null } as const,
  rejected: false,
  unprotected: '1',
  closing: 1,
  entryFilled: '0',
  progress: exitBegins(),
})
const replacementOf = (signal: Signal) => ({ signal: { ...signal, id: randomUUID() }, received: RECEIVED })

const storable = (signal: Signal) => ({
  signal: { ...signal, id: randomUUID(), status: 'pending' as const },
  received: RECEIVED,
  isDemo: true,
  maxWaiting: 100,
})

/** The steps by which the ledger follows a signal, in the order of its life. */
export const SIGNAL_STEPS: ComposedStep[] = [
  step('signal-received', storeSignals, queued, (em, signal) =>
    storeSignals(em, null, [storable(signal)], 5_000),
  ),
  step('signal-waiting', recordWaiting, pending, (em, { id }) =>
    recordWaiting(em, id, AT, { for: 'person', until: null }),
  ),
  step('signal-due-with-edits', recordDue, pending, (em, { id }) =>
    recordDue(em, id, AT, { by: BY, quantity: '5', limitPrice: '95', sendBefore: AT }),
  ),
  step('signal-declined', recordDeclined, pending, (em, { id }) =>
    recordDeclined(em, id, AT, { by: BY, reason: null }),
  ),
  step('signal-cancelled', recordCancelled, pending, (em, { id }) =>
    recordCancelled(em, id, AT, { reason: 'WITHDRAWN', detail: 'withdrawn' }),
  ),
  step('entry-accepted', recordAccepted, queued, (em, signal) =>
    recordAccepted(em, orderReport(signal), {
      advisories: [{ code: 'resized', message: 'smaller' }],
    }),
  ),
  step('entry-accepted-and-filled', recordAccepted, queued, (em, signal) =>
    recordAccepted(em, entryEnd(signal)),
  ),
  step('entry-transmitted', recordTransmitted, queued, (em, { id }) =>
    recordTransmitted(em, id, AT, 'timeout'),
  ),
  step('entry-not-placed', recordNotPlaced, queued, (em, { id }) =>
    recordNotPlaced(em, id, AT, {
      outcome: 'rejected',
      code: 'BROKER_ERROR',
      detail: 'rejected',
    }),
  ),
  step('entry-partly-filled', applyOrderReport, accepted, (em, signal) =>
    applyOrderReport(em, signal.accountId, withFill(orderReport(signal), '4')),
  ),
  step('entry-ended', applyOrderReport, accepted, (em, signal) =>
    applyOrderReport(em, signal.accountId, entryEnd(signal)),
  ),
  step('entry-heard-of-first', applyOrderReport, queued, (em, signal) =>
    applyOrderReport(em, signal.accountId, orderReport(signal)),
  ),
  step('cancel-asked', recordCancelRequested, accepted, (em, signal) =>
    recordCancelRequested(em, signal.id, AT, {
      clientOrderId: orderReport(signal).clientOrderId,
      by: BY,
    }),
  ),
  step('order-gives-way', recordCancelledFor, accepted, (em, { id }) =>
    recordCancelledFor(em, { clientOrderId: `${id}-e1` }, `${randomUUID()}-e1`, AT),
  ),
  step('exit-planned', recordExitScheduled, filled, (em, signal) =>
    recordExitScheduled(em, signal.id, AT, {
      entry: entryEnd(signal),
      plan: { submitAt: AT, reason: null },
      progress: exitBegins(1),
    }),
  ),
  step('exit-accepted', recordAccepted, filled, (em, signal) =>
    recordAccepted(em, orderReport(signal, { role: 'exit' }), {
      acknowledges: [entryEnd(signal)],
    }),
  ),
  step('exit-in-trouble', recordExitTrouble, filled, (em, signal) =>
    recordExitTrouble(em, signal.id, AT, {
      generation: 1,
      kind: 'rejected',
      code: 'BROKER_CREDENTIALS_INVALID',
      detail: 'revoked',
      acknowledges: [entryEnd(signal)],
      nextTry: { usual: AT, acknowledged: AT },
    }),
  ),
  step('exit-cancelled', recordExitCancelled, filled, (em, { id }) =>
    recordExitCancelled(em, id, AT, { by: BY, generation: 1 }),
  ),
  step('late-fill-noted', acknowledgeEnds, filled, (em, signal) =>
    acknowledgeEnds(em, signal.id, [entryEnd(signal)]),
  ),
  step('signal-closed', recordClosed, filled, (em, signal) => recordClosed(em, signal.id, AT, end(signal))),
  step('signal-reopened', noteReopened, closed, (em, { id }) => noteReopened(em, id, AT)),
  step('order-end-acknowledged-without-workflow', acknowledgeUnfollowed, filled, (em, signal) =>
    acknowledgeUnfollowed(em, entryEnd(signal), { kind: 'fill_after_end', message: 'late', data: {} }),
  ),
  step('signal-replaced', recordReplaced, pending, (em, signal) =>
    recordReplaced(em, signal.id, AT, {
      detail: 'newer',
      acknowledges: null,
      mayStillFill: false,
      replacement: replacementOf(signal),
    }),
  ),
  step('signal-replaced-while-it-may-fill', recordReplaced, accepted, (em, signal) =>
    recordReplaced(em, signal.id, AT, {
      detail: 'newer',
      acknowledges: null,
      mayStillFill: true,
      replacement: replacementOf(signal),
    }),
  ),
  step(
    'signal-replaced-after-its-end',
    replaceUnfilled,
    async (em) => {
      const signal = await accepted(em)
      await applyOrderReport(em, signal.accountId, { ...orderReport(signal), status: 'CANCELLED' })
      return signal
    },
    (em, signal) =>
      replaceUnfilled(em, signal.id, AT, { detail: 'newer', replacement: replacementOf(signal) }),
  ),
]
