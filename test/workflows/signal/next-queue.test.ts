import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { SignalTerms } from '#domain/signal.ts'
import { searchAttributes, type SignalInput } from '#workflows/signal/contract.ts'
import { eventually } from '../../support/eventually.ts'
import { accepts, acceptsFilled, strategyPaused } from '../../support/step-answers.ts'
import { exitAfter, exitAtOnce } from '../../support/sample-signal.ts'
import { SHORT_HISTORY, shortHistoryAddress } from '../../support/servers.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { SignalStage } from '../../support/signal-stage.ts'
import type { HistoryEvent } from '../../support/stage-server.ts'

/** How each run of a signal ended: over for good, or as a new run that is to move yet, or has moved. */
async function endsOf(play: SignalPlay): Promise<('over' | 'stayed' | 'moved')[]> {
  const runs = await play.runs()
  return runs.map(({ events }) => {
    const continued = events?.at(-1)?.workflowExecutionContinuedAsNewEventAttributes
    if (!continued) return 'over'
    const [payload] = continued.input?.payloads ?? []
    const envelope = JSON.parse(Buffer.from(payload!.data!).toString()) as { content: [SignalInput] }
    return envelope.content[0].thenQueue === undefined ? 'moved' : 'stayed'
  })
}

/** Longer than a run waits before it goes on in another queue. */
const UNTIL_MOVED = { within: 15_000 }

/** Events of the kind in all runs of a signal. */
async function countEvents(play: SignalPlay, kind: keyof HistoryEvent): Promise<number> {
  const events = (await play.runs()).flatMap((run) => run.events ?? [])
  return events.filter((event) => event[kind] != null).length
}

describe('a signal that is to go on in another queue once its entry is sent', function () {
  this.timeout(60_000)
  let stage: SignalStage & { close(): Promise<void> }
  before(async () => {
    stage = await SignalStage.onServerAt(await shortHistoryAddress())
  })
  after(() => stage?.close())

  const limit = { orderType: 'limit', limitPrice: '187.5' } as const
  const begin = async (changes: Partial<SignalTerms>, ...answers: (typeof accepts)[]): Promise<SignalPlay> =>
    stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(0.02), ...changes },
      (script) => script.answer('submitOrder', ...answers),
      { isToMove: true },
    )
  const moves = (play: SignalPlay): Promise<void> =>
    eventually(async () => assert.deepEqual(await endsOf(play), ['moved', 'over']), UNTIL_MOVED)

  it('goes there while its exit waits: one exit, sized to the fill, at its time', async () => {
    const play = await begin({ exit: exitAfter(0.2) }, acceptsFilled, acceptsFilled)
    await moves(play)
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(await endsOf(play), ['moved', 'over'])
    assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
    assert.equal(new Set(play.script.inputs('planExit').map(({ entryEndedAt }) => entryEndedAt)).size, 1)
  })

  for (const [entry, changes] of [
    ['rests', limit],
    ['at market is not filled', {}],
  ] as const)
    it(`goes there while its entry ${entry}, and the fill is heard there`, async () => {
      const play = await begin({ ...changes, exit: exitAtOnce }, accepts, acceptsFilled)
      await moves(play)
      await play.tell(play.entryId, 'FILLED', '10')
      assert.equal((await play.result()).exitFilled, '10')
      assert.deepEqual(await endsOf(play), ['moved', 'over'])
      assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
      const { typedSearchAttributes } = await play.handle.describe()
      assert.equal(typedSearchAttributes.get(searchAttributes.status), 'executed')
    })

  it('leaves in a task that does nothing else, so that a message to the task which sends an order costs no second one', async () => {
    const play = await begin({ ...limit, exit: exitAtOnce }, accepts, acceptsFilled)
    await moves(play)
    const events = (await play.runs())[0]!.events!
    const kinds = events
      .slice(-5)
      .map((event) => Object.keys(event).find((key) => key.endsWith('Attributes')))
    assert.deepEqual(kinds, [
      'timerFiredEventAttributes',
      'workflowTaskScheduledEventAttributes',
      'workflowTaskStartedEventAttributes',
      'workflowTaskCompletedEventAttributes',
      'workflowExecutionContinuedAsNewEventAttributes',
    ])
    await play.tell(play.entryId, 'FILLED', '10')
    await play.result()
  })

  it('stays when its order fills within seconds', async () => {
    const play = await begin({ ...limit, exit: exitAtOnce }, accepts, acceptsFilled)
    await play.script.accepted('entry')
    await sleep(500)
    await play.tell(play.entryId, 'FILLED', '10')
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(await endsOf(play), ['over'])
  })

  it('stays, and sets no timer but that of its time, when an order at market is all that is left of it', async () => {
    const entering = await begin({}, accepts)
    await entering.script.accepted('entry')
    const leaving = await begin({ exit: exitAtOnce }, acceptsFilled, accepts)
    await leaving.script.accepted('exit')
    await sleep(6_000)
    await entering.tell(entering.entryId, 'FILLED', '10')
    await leaving.tell(leaving.exitId(), 'FILLED', '10')
    for (const play of [entering, leaving]) {
      await play.result()
      assert.deepEqual(await endsOf(play), ['over'])
      assert.equal(await countEvents(play, 'timerStartedEventAttributes'), 1)
    }
  })

  it('stays when it has nothing to wait for: the entry is filled at once, or denied', async () => {
    const filled = await begin({}, acceptsFilled)
    assert.equal((await filled.result()).entryFilled, '10')
    const denied = await stage.begin(
      { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(0.02) },
      (script) => script.answer('prepareEntry', strategyPaused),
      { isToMove: true },
    )
    assert.equal((await denied.result()).reason, 'STRATEGY_PAUSED')
    for (const play of [filled, denied]) assert.deepEqual(await endsOf(play), ['over'])
  })

  it('stays while it waits for its time, also where its history grew long, and goes there afterwards', async () => {
    const play = await begin(
      { scheduledAt: await stage.minutesFromNow(0.1), exit: exitAfter(0.2) },
      acceptsFilled,
      acceptsFilled,
    )
    await play.script.called('recordWaiting')
    await stage.lengthen(play, SHORT_HISTORY)
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(await endsOf(play), ['stayed', 'moved', 'over'])
    assert.deepEqual(play.orderIds, [play.entryId, play.exitId()])
  })
})
