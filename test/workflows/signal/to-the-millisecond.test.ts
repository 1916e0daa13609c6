import assert from 'node:assert/strict'
import { mock } from 'node:test'
import type { SignalTerms } from '#domain/signal/signal.ts'
import type { SignalOutcome } from '#workflows/signal/contract.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import type { SignalPlay } from '#test/support/signal-play.ts'
import { useStage } from '#test/support/signal-stage.ts'
import { acceptsFilled } from '#test/support/step-answers.ts'

interface Case {
  /** `due`: the instant of its timer. */
  terms(due: string): Partial<SignalTerms>
  message(play: SignalPlay): Promise<unknown>
  /** What becomes of the signal when the message comes so many milliseconds before or after its timer. */
  ends: Record<'-1' | '0' | '1', Partial<SignalOutcome>>
}

/** Each mode, with the message that races its timer. At the very instant the message is in the workflow before the timer. */
const CASES: Record<string, Case> = {
  'a withdrawal and the time of a scheduled signal': {
    terms: (scheduledAt) => ({ executeMode: 'scheduled', scheduledAt, sendBefore: null }),
    message: (play) => play.withdraw(),
    ends: { '-1': { reason: 'WITHDRAWN' }, '0': { reason: 'WITHDRAWN' }, '1': { status: 'executed' } },
  },
  'an approval and the end of the validity of a pending signal': {
    terms: (validUntil) => ({ executeMode: 'pending', validUntil, sendBefore: null }),
    message: (play) => play.approve(),
    ends: { '-1': { status: 'executed' }, '0': { reason: 'EXPIRED' }, '1': { reason: 'EXPIRED' } },
  },
  'the cancel of an exit and its time, of an immediate signal': {
    terms: () => ({ exit: exitAfter(1) }),
    message: (play) => play.cancelExit(),
    ends: { '-1': { exitFilled: '0' }, '0': { exitFilled: '0' }, '1': { exitFilled: '10' } },
  },
}

describe('a message and a timer of a signal, milliseconds apart', () => {
  const stage = useStage()

  for (const [what, { terms, message, ends }] of Object.entries(CASES))
    for (const [milliseconds, expected] of Object.entries(ends))
      it(`${what}, ${milliseconds} ms from it: ${Object.values(expected).join()}`, async () => {
        const due = stage.minutesFromNow(1)
        const play = await stage.begin(terms(due), { submitOrder: [acceptsFilled, acceptsFilled] })
        await stage.settle()
        assert.equal(play.run.nextTimer, Date.parse(due))
        if (milliseconds === '1') await stage.letPass(1)
        await stage.stopWorker()
        mock.timers.setTime(Date.parse(due) + Number(milliseconds))
        const answer = message(play).catch(() => 'rejected')
        await stage.settle()
        await stage.startWorker()
        await answer
        const ended: Partial<SignalOutcome> = await play.result()
        assert.deepEqual({ ...ended, ...expected }, ended)
      })
})
