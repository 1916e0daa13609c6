import assert from 'node:assert/strict'
import { TimeoutFailure, TimeoutType } from '@temporalio/common'
import { loadBareWorkflow } from '../../support/bare-signal-workflow.ts'
import { askedSteps, send, settle, startAfresh, type AskedStep } from '../../support/bare-workflow.ts'
import { signalTerms } from '../../support/sample-signal.ts'

/** A failure of a step of which nothing was heard. */
const tooLate = () => new TimeoutFailure('too late', undefined, TimeoutType.START_TO_CLOSE)

describe('an approval that is not taken after a lost attempt', () => {
  beforeEach(startAfresh)
  const asked = async (name: string): Promise<AskedStep> => {
    await settle()
    const step = askedSteps().find((other) => other.name === name)
    return step ?? assert.fail(`${name} is not asked for`)
  }
  const refused = {
    outcome: 'held',
    detail: 'Entries are paused',
    refused: { code: 'TRADING_PAUSED', approvedAt: '', quantity: '10', limitPrice: null },
  }
  const approve = async (sendBefore: string | null = null): Promise<void> => {
    ;(await asked('recordWaiting')).resolve(undefined)
    await settle()
    const approval = { by: 'ann', quantity: null, limitPrice: null, sendBefore }
    void send('approveSignal', approval).catch(() => {})
    ;(await asked('recordDue')).resolve(undefined)
    ;(await asked('attemptEntry')).reject(tooLate())
  }
  const begin = async () => {
    const signalWorkflow = await loadBareWorkflow()
    return { result: signalWorkflow({ terms: signalTerms({ executeMode: 'pending', sendBefore: null }) }) }
  }

  it('an approval that is not taken after a lost attempt leaves the next one to be tried as if for the first time', async () => {
    await begin()
    await approve()
    ;(await asked('prepareEntry')).resolve(refused)
    await approve()
  })

  it('a signal whose approval is just being put back is withdrawn, declined and replaced as one that waits', async () => {
    const stops = {
      withdrawSignal: ['recordCancelled', { by: 'ann' }],
      declineSignal: ['recordDeclined', { by: 'ann', reason: null }],
      replaceSignal: ['recordReplaced', { by: 'ann', replacement: {} }],
    } as const
    for (const [message, [record, question]] of Object.entries(stops)) {
      startAfresh()
      const { result } = await begin()
      await approve('2020-01-01T00:00:00.000Z')
      ;(await asked('prepareEntry')).reject(tooLate())
      const putBack = await asked('recordNotTaken')
      const stopped = send(message, question)
      await settle()
      putBack.resolve(refused)
      ;(await asked('recordWaiting')).resolve(undefined)
      ;(await asked(record)).resolve('stopped')
      await settle()
      await stopped
      assert.notEqual((await result).status, 'executed')
    }
  })
})

describe('a close whose decision was taken back before it left', () => {
  beforeEach(startAfresh)

  /** The one step of this name that the workflow asks for; answered afterwards. */
  const asked = async (name: string): Promise<AskedStep> => {
    await settle()
    const [step, ...others] = askedSteps()
    assert.deepEqual([step?.name, others], [name, []])
    return step!
  }
  const ready = { outcome: 'ready', quantity: '10', advisories: [] }
  const takenBack = { outcome: 'void', detail: 'Trading is stopped' }

  it('a close whose decision was taken back before it left is decided on anew, and sent as if for the first time', async () => {
    const signalWorkflow = await loadBareWorkflow()
    void signalWorkflow({ terms: signalTerms({ action: 'closeLong', sendBefore: null }) })
    const lost = await asked('attemptEntry')
    lost.reject(new TimeoutFailure('too late', undefined, TimeoutType.START_TO_CLOSE))
    ;(await asked('prepareEntry')).resolve(ready)
    ;(await asked('recordTransmitted')).resolve(undefined)
    ;(await asked('submitOrder')).resolve(takenBack)
    const again = await asked('attemptEntry')
    again.resolve({
      check: { completed: true, result: { ...ready, quantity: '4' } },
      submission: null,
      orderId: null,
    })
    const { input } = await asked('submitOrder')
    const { request, unknownSince } = input as { request: { quantity: string }; unknownSince: string | null }
    assert.deepEqual([request.quantity, unknownSince], ['4', null])
  })

  it('a close whose decision was taken back before it left can be withdrawn again', async () => {
    const signalWorkflow = await loadBareWorkflow()
    const result = signalWorkflow({ terms: signalTerms({ action: 'closeLong', sendBefore: null }) })
    const submission = { completed: true, result: takenBack }
    ;(await asked('attemptEntry')).resolve({
      check: { completed: true, result: ready },
      submission,
      orderId: null,
    })
    await asked('attemptEntry')
    const withdrawn = send('withdrawSignal', { by: 'ann' })
    await settle()
    const [attempt] = askedSteps()
    attempt!.reject(new TimeoutFailure('too late', undefined, TimeoutType.START_TO_CLOSE))
    ;(await asked('prepareEntry')).reject(
      new TimeoutFailure('too late', undefined, TimeoutType.START_TO_CLOSE),
    )
    ;(await asked('recordCancelled')).resolve('stopped')
    await settle()
    assert.deepEqual(await withdrawn, { status: 'cancelled', reason: 'WITHDRAWN' })
    assert.equal((await result).status, 'cancelled')
  })
})
