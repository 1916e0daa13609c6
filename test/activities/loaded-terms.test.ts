import assert from 'node:assert/strict'
import { createActivities } from '#activities/index.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Signal } from '#db/entities/index.ts'
import { recordRequiresApproval } from '#db/signal/decision-ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import type { SignalTerms } from '#domain/signal/signal.ts'
import { loadBareWorkflow } from '#test/support/bare-signal-workflow.ts'
import { send } from '#test/support/bare-workflow.ts'
import { useDatabase } from '#test/support/database.ts'
import { createSignal } from '#test/support/factories.ts'
import { signalIn } from '#test/support/ledger.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { WorkflowOnLedger } from '#test/support/workflow-on-ledger.ts'
import type { Approval, SignalInput } from '#workflows/signal/contract.ts'

const DAY = 86_400_000
const inFuture = (milliseconds: number): Date => new Date(Date.now() + milliseconds)

interface Case {
  fields: () => Partial<Signal>
  /** A rule of its owner lets a person approve it. */
  isHeld?: true
  approval?: () => Omit<Approval, 'by'>
}

const unchanged = { quantity: null, limitPrice: null }
const edited = { quantity: '7.5', limitPrice: '101.25' } as const
const pending = (): Partial<Signal> => ({
  executeMode: 'pending',
  status: 'pending',
  orderType: 'limit',
  limitPrice: '100',
  sendBefore: null,
  validUntil: inFuture(DAY),
})
const scheduled = (): Partial<Signal> => ({
  executeMode: 'scheduled',
  status: 'scheduled',
  scheduledAt: inFuture(-10),
  sendBefore: inFuture(59_990),
})
const immediate = (): Partial<Signal> => ({ status: 'queued', sendBefore: inFuture(60_000) })
const soon = () => inFuture(60_000).toISOString()

const CASES: Record<string, Case> = {
  'a pending signal that was approved with edits': {
    fields: pending,
    approval: () => ({ ...edited, sendBefore: soon() }),
  },
  'a pending signal without an end that was approved with none': {
    fields: () => ({ ...pending(), validUntil: null }),
    approval: () => ({ ...edited, sendBefore: null }),
  },
  'a scheduled signal whose time has come': { fields: scheduled },
  'an immediate signal that was held, and approved with edits': {
    fields: immediate,
    isHeld: true,
    approval: () => ({ ...edited, sendBefore: soon() }),
  },
  'a scheduled signal that was held, and approved': {
    fields: () => ({ ...scheduled(), validUntil: inFuture(DAY) }),
    isHeld: true,
    approval: () => ({ ...unchanged, sendBefore: soon() }),
  },
}

describe('the terms of a signal that is started again from the ledger', function () {
  this.timeout(60_000)
  let em: EntityManager
  let run: WorkflowOnLedger
  useDatabase(async (database) => {
    em = database.em
    const activities = createActivities({
      em,
      secretKeys,
      connectBroker: () => new ScriptedBroker(),
      requestTimeoutMs: 4_000,
    })
    run = new WorkflowOnLedger(await loadBareWorkflow(), activities)
  })

  async function rebuilt(id: string): Promise<SignalInput> {
    return { terms: termsOf(await signalIn(em, id)), loads: true }
  }

  /** Has the signal live to the moment in which its entry is checked for the last time; returns its terms then. */
  async function liveTerms(
    signal: Signal,
    { isHeld, approval }: Case,
    isLostBefore: boolean,
  ): Promise<SignalTerms> {
    run.start({ terms: termsOf(signal) })
    let check = await run.work('attemptEntry')
    if (isHeld) {
      const detail = 'over $ 1,000'
      const validUntil = signal.validUntil?.toISOString() ?? null
      await recordRequiresApproval(em, signal.id, new Date().toISOString(), { detail, validUntil })
      check!.resolve({
        check: { completed: true, result: { outcome: 'held', detail } },
        submission: null,
        orderId: null,
      })
      check = await run.work('attemptEntry')
    }
    if (approval) {
      assert.equal(check, null, 'it waits for a person')
      if (isLostBefore) {
        run.start(await rebuilt(signal.id))
        assert.equal(await run.work('attemptEntry'), null, 'it still waits for a person')
      }
      void send('approveSignal', { by: 'ann', ...approval() })
      check = await run.work('attemptEntry')
    }
    assert.ok(check)
    return check.input as SignalTerms
  }

  for (const [what, each] of Object.entries(CASES))
    for (const isLostBefore of each.approval ? [false, true] : [false])
      it(`the terms of a signal that is started again from the ledger are those that its run had: ${what}${isLostBefore ? ', lost before that too' : ''}`, async () => {
        const { id } = await createSignal(em, { acceptedAt: inFuture(-3 * DAY), ...each.fields() })
        const live = await liveTerms(await signalIn(em, id), each, isLostBefore)
        const again = await rebuilt(id)
        assert.deepEqual(again.terms, live)
        run.start(again)
        assert.deepEqual((await run.work('attemptEntry'))?.input, live)
      })
})
