import assert from 'node:assert/strict'
import { endOfFilled } from '#activities/order/filled-at-once.ts'
import { useStage } from '#test/support/signal-stage.ts'

describe('the end of a signal whose entry fills while it is sent', function () {
  this.timeout(30_000)
  const stage = useStage()

  it('the end of a signal whose entry fills while it is sent is recorded by the attempt to send it as the workflow records it where the attempt could not', async () => {
    const play = await stage.begin()
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'FILLED', '10')
    await play.result()
    const [closed, ...others] = play.script.inputs('recordClosed')
    assert.deepEqual(others, [])
    assert.ok(closed && 'reopenState' in closed && closed.reopenState)
    const { at, ...byWorkflow } = closed
    const { orderId, reports } = closed.reopenState.resumeState
    const [{ report, newsAt } = assert.fail('nothing is known of the entry')] = reports
    const byAttempt = endOfFilled(play.terms, report, orderId!, newsAt)
    assert.ok(byAttempt && Date.parse(at) > 0)
    const { at: _, ...told } = byAttempt
    assert.deepEqual(told, byWorkflow)
  })
})
