import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { SignalTerms } from '#domain/signal.ts'
import type { SignalOutcome } from '#workflows/signal/contract.ts'
import { loadBareWorkflow } from '../../support/bare-signal-workflow.ts'
import { askedSteps, nextTimer, send, settle, startAfresh } from '../../support/bare-workflow.ts'
import { SignalScript, type StepCall } from '../../support/recording-activities.ts'
import { acceptsFilled } from '../../support/step-answers.ts'
import { exitAfter, signalTerms } from '../../support/sample-signal.ts'

const START = Date.parse('2026-03-02T15:00:00.000Z')
const MINUTE = 60_000
const due = new Date(START + MINUTE).toISOString()

interface Case {
  terms: Partial<SignalTerms>
  message: string
  /** What becomes of the signal when the message comes so many milliseconds before or after its timer. */
  ends: Record<'-1' | '0' | '1', Partial<SignalOutcome>>
}

/** Each mode, with the message that races its timer. At the very instant the message is in the workflow before the timer. */
const CASES: Record<string, Case> = {
  'a withdrawal and the time of a scheduled signal': {
    terms: { executeMode: 'scheduled', scheduledAt: due, sendBefore: null },
    message: 'withdrawSignal',
    ends: { '-1': { reason: 'WITHDRAWN' }, '0': { reason: 'WITHDRAWN' }, '1': { status: 'executed' } },
  },
  'an approval and the end of the validity of a pending signal': {
    terms: { executeMode: 'pending', validUntil: due, sendBefore: null },
    message: 'approveSignal',
    ends: { '-1': { status: 'executed' }, '0': { reason: 'EXPIRED' }, '1': { reason: 'EXPIRED' } },
  },
  'the cancel of an exit and its time, of an immediate signal': {
    terms: { exit: exitAfter(1) },
    message: 'cancelExit',
    ends: { '-1': { exitFilled: '0' }, '0': { exitFilled: '0' }, '1': { exitFilled: '10' } },
  },
}

describe('a message and a timer of a signal, milliseconds apart', () => {
  let signalWorkflow: Awaited<ReturnType<typeof loadBareWorkflow>>
  before(async () => {
    signalWorkflow = await loadBareWorkflow()
  })
  beforeEach(() => mock.timers.enable({ apis: ['Date'], now: START }))
  afterEach(() => mock.timers.reset())

  for (const [what, { terms, message, ends }] of Object.entries(CASES))
    for (const [milliseconds, expected] of Object.entries(ends))
      it(`${what}, ${milliseconds} ms from it: ${Object.values(expected).join()}`, async () => {
        startAfresh()
        const script = new SignalScript().answer('submitOrder', acceptsFilled, acceptsFilled)
        const work = async (): Promise<void> => {
          for (await settle(); askedSteps().length > 0; await settle()) {
            const [step] = askedSteps()
            const call = { ...step!, at: new Date().toISOString() } as StepCall
            step!.resolve(await script.play(call))
          }
        }
        const outcome = signalWorkflow({ terms: signalTerms(terms) })
        await work()
        const timer = nextTimer()
        assert.equal(timer, START + MINUTE)
        if (milliseconds === '1') {
          mock.timers.setTime(timer)
          await work()
        }
        mock.timers.setTime(timer + Number(milliseconds))
        const answer = send(message, { by: 'ann', quantity: null, limitPrice: null, sendBefore: null })
        await Promise.all([answer.catch(() => 'rejected'), work()])
        mock.timers.setTime(timer + MINUTE)
        await work()
        const ended: Partial<SignalOutcome> = await outcome
        assert.deepEqual({ ...ended, ...expected }, ended)
      })
})
