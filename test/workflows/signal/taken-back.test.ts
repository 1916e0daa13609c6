import assert from 'node:assert/strict'
import { TimeoutFailure, TimeoutType } from '@temporalio/common'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { signalWorkflow } from '#workflows/signal/workflow.ts'
import { loadBareWorkflow } from '#test/support/bare-signal-workflow.ts'
import { askedSteps, send, settle, startAfresh, type AskedStep } from '#test/support/bare-workflow.ts'
import { signalTerms } from '#test/support/sample-signal.ts'

/** A failure of a step of which nothing was heard. */
const tooLate = () => new TimeoutFailure('too late', undefined, TimeoutType.START_TO_CLOSE)
const ready = { outcome: 'ready', quantity: '10', advisories: [] }
const takenBack = { outcome: 'void', detail: 'Trading is stopped' }
const refused = {
  outcome: 'held',
  detail: 'Entries are paused',
  refused: { code: 'TRADING_PAUSED', approvedAt: '', quantity: '10', limitPrice: null },
}

describe('an attempt to send an entry whose outcome is missing, or whose decision was taken back', () => {
  let workflow: typeof signalWorkflow
  before(async () => {
    workflow = await loadBareWorkflow()
  })
  beforeEach(startAfresh)

  const begin = (changes: Partial<SignalTerms>) =>
    workflow({ terms: signalTerms({ sendBefore: null, ...changes }) })
  /** The step of this name that the workflow asks for; answered afterwards. */
  async function asked(name: string): Promise<AskedStep> {
    await settle()
    return askedSteps().find((step) => step.name === name) ?? assert.fail(`${name} is not asked for`)
  }
  const answer = async (name: string, result?: unknown): Promise<void> => (await asked(name)).resolve(result)
  const lose = async (name: string): Promise<void> => (await asked(name)).reject(tooLate())
  async function approve(sendBefore: string | null = null): Promise<void> {
    await answer('recordWaiting')
    await settle()
    void send('approveSignal', { by: 'ann', quantity: null, limitPrice: null, sendBefore }).catch(() => {})
    await answer('recordDue')
    await lose('attemptEntry')
  }

  it('an attempt to send an entry without an outcome is not made again, also when the entry waits for an earlier signal: what is sent is looked up first', async () => {
    void begin({})
    await lose('attemptEntry')
    const until = new Date(Date.now() + 60_000).toISOString()
    await answer('prepareEntry', { outcome: 'not_yet', behind: ['an earlier signal'], until })
    await settle()
    await send('earlierSignalChanged')
    await answer('prepareEntry', ready)
    await answer('recordTransmitted')
    const { input } = await asked('submitOrder')
    assert.notEqual((input as { unknownSince: string | null }).unknownSince, null)
  })

  it('an approval that is not taken after a lost attempt leaves the next one to be tried as if for the first time', async () => {
    void begin({ executeMode: 'pending' })
    await approve()
    await answer('prepareEntry', refused)
    await approve()
  })

  for (const [message, record, question] of [
    ['withdrawSignal', 'recordCancelled', { by: 'ann' }],
    ['declineSignal', 'recordDeclined', { by: 'ann', reason: null }],
    ['replaceSignal', 'recordReplaced', { by: 'ann', replacement: {} }],
  ] as const)
    it(`a signal whose approval is just being put back is stopped by ${message} as one that waits`, async () => {
      const result = begin({ executeMode: 'pending' })
      await approve('2020-01-01T00:00:00.000Z')
      await lose('prepareEntry')
      const putBack = await asked('recordDecisionLapsed')
      const stopped = send(message, question)
      await settle()
      putBack.resolve(refused)
      await answer('recordWaiting')
      await answer(record, 'stopped')
      await settle()
      await stopped
      assert.notEqual((await result).status, 'executed')
    })

  it('a close whose decision was taken back before it left is decided on again, and sent as if for the first time', async () => {
    void begin({ action: 'closeLong' })
    await lose('attemptEntry')
    await answer('prepareEntry', ready)
    await answer('recordTransmitted')
    await answer('submitOrder', takenBack)
    const result = { ...ready, quantity: '4' }
    await answer('attemptEntry', { check: { completed: true, result }, submission: null, orderId: null })
    const { input } = await asked('submitOrder')
    const { request, unknownSince } = input as { request: { quantity: string }; unknownSince: string | null }
    assert.deepEqual([request.quantity, unknownSince], ['4', null])
  })

  it('a close whose decision was taken back before it left can be withdrawn again', async () => {
    const result = begin({ action: 'closeLong' })
    await answer('attemptEntry', {
      check: { completed: true, result: ready },
      submission: { completed: true, result: takenBack },
      orderId: null,
    })
    await asked('attemptEntry')
    const withdrawn = send('withdrawSignal', { by: 'ann' })
    await lose('attemptEntry')
    await lose('prepareEntry')
    await answer('recordCancelled', 'stopped')
    await settle()
    assert.deepEqual(await withdrawn, { status: 'cancelled', reason: 'WITHDRAWN' })
    assert.equal((await result).status, 'cancelled')
  })
})
