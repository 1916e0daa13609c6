import assert from 'node:assert/strict'
import { TimeoutFailure, TimeoutType } from '@temporalio/common'
import { loadBareWorkflow } from '../../support/bare-signal-workflow.ts'
import { askedSteps, send, settle, startAfresh, type AskedStep } from '../../support/bare-workflow.ts'
import { signalTerms } from '../../support/sample-signal.ts'

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
