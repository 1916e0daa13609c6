import assert from 'node:assert/strict'
import { acceptsFilled } from '../support/step-answers.ts'
import { exitAfter, exitAtOnce } from '../support/sample-signal.ts'
import type { SignalPlay } from '../support/signal-play.ts'
import { historyOf, pathsOf, versions } from './recorded.ts'
import { useStage } from '#test/support/signal-stage.ts'

/** Events of one signal with its exit: what it costs on any Temporal. */
const CEILING = 30
const DAY = 24 * 60

/** Recorded paths that take more events than {@link CEILING}, because on them something went wrong, or people asked for more. */
const LONGER: Record<string, number> = {
  // Its order is changed at the broker, stays through a stop of all trading, and is cancelled by a person.
  'exit-plan-changed-then-stopped-here': 42,
  'approval-not-checked-in-time': 56,
  'entry-cancelled-by-a-person': 34,
  'exit-not-sized-for-long': 40,
  'exit-partly-filled-then-expired': 40,
  'exit-rejected-then-cancelled': 40,
  'exit-rejected-after-acceptance': 40,
  'exit-grown-by-late-fill': 40,
  'exit-followed-by-second-for-late-fill': 40,
  'exit-order-cancelled-by-a-person': 44,
  'order-cancelled-by-the-feed': 38,
  'order-cancelled-while-working': 36,
  'order-decided-by-a-lost-worker': 50,
  'pending-then-refused-then-approved': 38,
  'replaced-by-the-feed': 36,
  'replaced-while-working': 36,
  'replaced-then-cancelled-late': 56,
  'replaced-then-filled-late': 60,
}

async function countEvents(story: string, play: SignalPlay): Promise<number> {
  const events = (await play.history()).length
  console.log(`      ${events} history events: ${story}`)
  return events
}

describe('the history of a signal', function () {
  this.timeout(30_000)
  const stage = useStage()

  it(`the history of a signal with a timed exit, both orders filled by the feed: at most ${CEILING} events`, async () => {
    const { play } = await stage.beginAndAwaitEntry({ exit: exitAfter(30) })
    await play.fillEntry()
    await play.script.called('planExit')
    await stage.letPass(30)
    await play.script.accepted('exit')
    await play.tell(play.exitId(), 'FILLED', '10')
    await play.result()
    assert.ok((await countEvents('entry, 30 minutes, exit, both filled by the feed', play)) <= CEILING)
  })

  it(`the history of a signal with an immediate exit, both orders filled by the feed: at most ${CEILING} events`, async () => {
    const { play } = await stage.beginAndAwaitEntry({ exit: exitAtOnce })
    await play.fillEntry()
    await play.script.accepted('exit')
    await play.tell(play.exitId(), 'FILLED', '10')
    await play.result()
    assert.ok((await countEvents('entry, exit at once, both filled by the feed', play)) <= CEILING)
  })

  it('the history of a signal without an exit and filled at once: at most 12 events', async () => {
    const { play } = await stage.beginAndAwaitEntry({}, (script) =>
      script.answer('submitOrder', acceptsFilled),
    )
    await play.result()
    assert.ok((await countEvents('entry filled at once, no exit', play)) <= 12)
  })

  it('the history of a signal that is scheduled, with a timed exit, both orders filled at once: at most 37 events in its two runs', async () => {
    for (const [isToMove, runs] of [
      [true, 2],
      [false, 1],
    ] as const) {
      const play = await stage.begin(
        { executeMode: 'scheduled', scheduledAt: await stage.minutesFromNow(10), exit: exitAfter(30) },
        (script) => script.answer('submitOrder', acceptsFilled, acceptsFilled),
        { isToMove },
      )
      await play.result()
      const counts = (await play.runs()).map(({ events }) => events?.length ?? 0)
      console.log(
        `      ${counts.join(' and ')} history events: scheduled, 30 minutes, exit, both filled at once`,
      )
      assert.equal(counts.length, runs)
      assert.ok(counts.reduce((sum, count) => sum + count) <= 37)
    }
  })

  for (const version of versions())
    it(`the history of a signal on any path recorded with ${version}: at most ${CEILING} events, or the allowance of that path`, () => {
      const sizes = pathsOf(version)
        // Those that continue as new are made long on purpose.
        .filter((path) => !path.startsWith('continued-'))
        .map((path) => ({ path, events: historyOf(version, path).events?.length ?? 0 }))
      assert.deepEqual(
        sizes.filter(({ path, events }) => events > (LONGER[path] ?? CEILING)),
        [],
      )
    })

  for (const [executeMode, minutes] of [
    ['pending', null],
    ['scheduled', 90 * DAY + 60],
  ] as const)
    it(`the history of a signal that is ${executeMode} for 90 days: does not grow meanwhile`, async () => {
      const play = await stage.begin(
        {
          executeMode,
          scheduledAt: minutes === null ? null : await stage.minutesFromNow(minutes),
          validUntil: await stage.minutesFromNow(91 * DAY),
        },
        (script) => script.answer('submitOrder', acceptsFilled),
      )
      await play.script.called('recordWaiting')
      await stage.letPass(1)
      const before = await countEvents(`${executeMode}, on its first day`, play)
      await stage.letPass(90 * DAY - 1)
      assert.equal(await countEvents('the same after 90 days', play), before)
      if (executeMode === 'pending') await play.approve()
      assert.equal((await play.result()).status, 'executed')
    })

  it('the history of a signal that waits 90 days for the end of a gtc order: does not grow meanwhile', async () => {
    const { play } = await stage.beginAndAwaitEntry({
      orderType: 'limit',
      limitPrice: '90',
      timeInForce: 'gtc',
    })
    const before = await countEvents('a gtc entry on its first day', play)
    await stage.letPass(90 * DAY)
    assert.equal(await countEvents('the same after 90 days', play), before)
    await play.fillEntry()
    assert.equal((await play.result()).entryFilled, '10')
  })
})
