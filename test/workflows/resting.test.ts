import assert from 'node:assert/strict'
import { useStage } from '#test/support/signal-stage.ts'
import { acceptsFilled } from '#test/support/step-answers.ts'

const DAY = 24 * 60

describe('a signal that waits for months', () => {
  const stage = useStage()

  for (const mode of ['pending', 'scheduled', 'immediate'] as const)
    it(`a signal that is ${mode === 'immediate' ? 'at the broker, good till cancelled,' : mode} for 90 days asks Temporal for nothing meanwhile`, async () => {
      const play = await stage.begin(
        {
          executeMode: mode,
          scheduledAt: mode === 'scheduled' ? stage.minutesFromNow(90 * DAY + 60) : null,
          validUntil: mode === 'immediate' ? null : stage.minutesFromNow(91 * DAY),
          ...(mode === 'immediate' && { orderType: 'limit', limitPrice: '90', timeInForce: 'gtc' }),
        },
        mode === 'immediate' ? {} : { submitOrder: [acceptsFilled] },
      )
      await stage.letPass(1)
      const before = [...play.run.commands]
      await stage.letPass(90 * DAY - 1)
      assert.deepEqual(play.run.commands, before)
      if (mode === 'pending') await play.approve()
      if (mode === 'immediate') await play.fillEntry()
      const { status, entryFilled } = await play.result()
      assert.deepEqual([status, entryFilled], ['executed', '10'])
    })
})
