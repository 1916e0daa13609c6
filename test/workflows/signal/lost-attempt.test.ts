import assert from 'node:assert/strict'
import { TimeoutFailure, TimeoutType } from '@temporalio/common'
import { loadBareWorkflow } from '../../support/bare-signal-workflow.ts'
import { askedSteps, send, settle, startAfresh, type AskedStep } from '../../support/bare-workflow.ts'
import { signalTerms } from '../../support/sample-signal.ts'

describe('an attempt to send an entry of which nothing was heard', () => {
  beforeEach(startAfresh)

  /** The one step that the workflow asks for; answered afterwards. */
  const asked = async (): Promise<AskedStep> => {
    await settle()
    const [step, ...others] = askedSteps()
    assert.deepEqual(others, [])
    return step ?? assert.fail('nothing is asked for')
  }

  it('an attempt to send an entry of which nothing was heard is not made again, also when the entry waits for its turn meanwhile: what is sent is looked up first', async () => {
    const signalWorkflow = await loadBareWorkflow()
    void signalWorkflow({ terms: signalTerms({ sendBefore: null }) })
    const lost = await asked()
    assert.equal(lost.name, 'attemptEntry')
    lost.reject(new TimeoutFailure('too late', undefined, TimeoutType.START_TO_CLOSE))
    const check = await asked()
    assert.equal(check.name, 'prepareEntry')
    const until = new Date(Date.now() + 60_000).toISOString()
    check.resolve({ outcome: 'not_yet', behind: ['an earlier signal'], until })
    await settle()
    await send('earlierSignalChanged')
    const second = await asked()
    assert.equal(second.name, 'prepareEntry')
    second.resolve({ outcome: 'ready', quantity: '10', advisories: [] })
    const doubt = await asked()
    assert.equal(doubt.name, 'recordTransmitted')
    doubt.resolve(undefined)
    const { name, input } = await asked()
    assert.equal(name, 'submitOrder')
    assert.notEqual((input as { unknownSince: string | null }).unknownSince, null)
  })
})
