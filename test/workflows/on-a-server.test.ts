import assert from 'node:assert/strict'
import { UNTRUSTED } from '#workflows/messages/address-contract.ts'
import { orderChanged } from '#workflows/order/contract.ts'
import { approveSignal, searchAttributes } from '#workflows/signal/contract.ts'
import { rejectionOf } from '#test/support/rejections.ts'
import { exitAfter, exitAtOnce, reportOf } from '#test/support/sample-signal.ts'
import { temporalAddress } from '#test/support/servers.ts'
import { SignalStage, type RealStage } from '#test/support/signal-stage.ts'
import { acceptsFilled, plans, unknownOutcome } from '#test/support/step-answers.ts'

/** Exits are planned this far ahead, in minutes, because the clock of a real server is not skipped. */
const SOON = 0.01

/** What is wrong with news of an order. */
const MALFORMED: Record<string, (report: object) => unknown> = {
  nothing: () => null,
  'a word': () => 'FILLED',
  'an empty object': () => ({}),
  'a report whose shares are no number': (report) => ({ ...report, quantity: 'ten', filledQuantity: 'ten' }),
}

describe('the workflows on a real server', function () {
  this.timeout(30_000)
  let stage: RealStage
  before(async () => {
    stage = await SignalStage.onServerAt(await temporalAddress())
  })
  after(() => stage?.close())

  for (const [name, malform] of Object.entries(MALFORMED))
    it(`${name} as news of an order: dropped, and the real news ends the signal`, async () => {
      const play = await stage.begin()
      await play.script.accepted('entry')
      const report = reportOf(play.sent(play.entryId)[0]!, play.terms.acceptedAt)
      await play.handle.signal(orderChanged, malform(report))
      await play.fillEntry()
      assert.equal((await play.result()).entryFilled, '10')
      assert.equal(stage.untrusted.at(-1)?.address, 'signal orderChanged')
    })

  it('an approval without a name: rejected, and the signal goes on waiting', async () => {
    const play = await stage.begin({ executeMode: 'pending' })
    await play.script.called('recordWaiting')
    const nameless = play.handle.executeUpdate(approveSignal, { args: [{ quantity: '999' }] })
    assert.equal(await rejectionOf(nameless), UNTRUSTED)
    await play.approve()
    assert.equal(play.sent(play.entryId)[0]?.quantity, '10')
    await play.fillEntry()
    await play.result()
  })

  for (const [title, exit, most] of [
    ['a time exit, both orders filled by the feed', exitAfter(30), 30],
    ['an immediate exit, both orders filled by the feed', exitAtOnce, 30],
    ['no exit, the fill reported with the acceptance', null, 10],
    ['an immediate exit, both fills reported with the acceptances', exitAtOnce, 14],
  ] as const)
    it(`a signal with ${title}, leaves at most ${most} events in its history`, async () => {
      const isNotifiedAtOnce = title.includes('reported with')
      const { play } = await stage.beginAndAwaitEntry(
        { exit },
        {
          ...(isNotifiedAtOnce && { submitOrder: [acceptsFilled, acceptsFilled] }),
          ...(exit !== null && { scheduleExit: [plans(isNotifiedAtOnce ? 0 : SOON)] }),
        },
      )
      if (!isNotifiedAtOnce) {
        await play.fillEntry()
        await play.fillExit()
      }
      await play.result()
      const events = await play.history()
      assert.ok(events.length <= most, `${events.length} events`)
    })

  it('a manual order that the feed reports filled leaves at most 22 events in its history', async () => {
    const play = await stage.beginByHand()
    await play.awaitEntry()
    await play.tell(play.entryId, 'FILLED', '10')
    await play.result()
    const [history] = await play.runs()
    assert.ok(history!.events!.length <= 22, `${history!.events!.length} events`)
  })

  it('a signal shows operators its status: as a search attribute, and in its details', async () => {
    const play = await stage.begin({}, { submitOrder: [unknownOutcome] })
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'REJECTED', '0')
    await play.result()
    const { typedSearchAttributes } = await stage.server.client.workflow
      .getHandle(play.handle.workflowId)
      .describe()
    assert.equal(typedSearchAttributes.get(searchAttributes.status), 'rejected')
    const { currentDetails } = (await play.handle.query('__temporal_workflow_metadata')) as {
      currentDetails: string
    }
    assert.match(currentDetails, /status: \*\*rejected\*\*/)
  })
})
