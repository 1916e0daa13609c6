import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import type { Protection } from '#domain/protection.ts'
import { clientOrderIdFor, type OrderPurpose } from '#domain/order.ts'
import { changeProtection, levelCrossed, protectionMoved } from '#workflows/signal/contract.ts'
import { accepts, acceptsFilled, placesNothing, type Answer } from '../../support/recording-activities.ts'
import { eventually } from '../../support/eventually.ts'
import { exitAfter } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { useStage, type SignalStage } from '#test/support/signal-stage.ts'

const NOTHING = { stop: null, target: null, trail: null, breakEven: null } as const
const stopAt95: Protection = { ...NOTHING, stop: { price: '95' }, until: 'closed' }
const stopAt90: Protection = { ...stopAt95, stop: { price: '90' } }
const forTheSession: Protection = { ...stopAt95, until: 'session' }
const DAY = 24 * 60

const idOf = (play: SignalPlay, purpose: OrderPurpose, generation: number): string =>
  clientOrderIdFor(play.terms.signalId, purpose, generation)

/** The exits that were sent, by the end of their ids. */
const exitsOf = (play: SignalPlay): string[] =>
  play.orderIds.map((id) => id.slice(play.terms.signalId.length + 1)).filter((id) => !id.startsWith('e'))

/** The broker cancels at once. */
const cancels =
  (
    play: () => SignalPlay,
    purpose: OrderPurpose,
    generation: number,
    filledQuantity: '0' | '4' | '10' = '0',
  ): Answer<'cancelOrder'> =>
  async () => {
    const status = filledQuantity === '10' ? 'FILLED' : 'CANCELLED'
    await play().tell(idOf(play(), purpose, generation), status, filledQuantity)
    return { report: null }
  }

const crossed = (level: 'stop' | 'target') =>
  ({ level, at: '95', price: '94', seenAt: '2026-03-02T15:00:00.000Z' }) as const

describe('the exit plan of a signal', function () {
  this.timeout(30_000)
  const stage = useStage()
  let play: SignalPlay

  /** A signal whose entry has filled, with the order of its plan at the broker. */
  async function begin(
    terms: Parameters<SignalStage['begin']>[0] = {},
    prepare: Parameters<SignalStage['begin']>[1] = () => {},
  ): Promise<SignalPlay> {
    play = await stage.begin({ protection: stopAt95, ...terms }, (script) => {
      script.answer('submitOrder', acceptsFilled, accepts)
      prepare(script)
    })
    await play.script.accepted('exit')
    return play
  }
  const ends = async () => {
    await play.result()
    const [end] = play.script.inputs('recordClosed').filter(({ signalId }) => signalId !== undefined)
    assert.ok(end?.signalId)
    return end
  }

  it('lies at the broker once the entry has ended, rests for weeks without a sound, and closes the position', async () => {
    await begin()
    assert.equal(play.sent(idOf(play, 'plan', 1))[0]?.stopPrice, '95')
    assert.deepEqual(play.script.order, [
      'prepareEntry',
      'submitOrder',
      'recordAccepted',
      'planProtection',
      'sizeExit',
      'submitOrder',
      'recordAccepted',
    ])
    const [accepted] = play.script.inputs('recordAccepted').slice(1)
    assert.equal(accepted?.resting?.stopPrice, '95')
    await stage.letPass(1)
    const before = (await play.history()).length
    await stage.letPass(30 * DAY)
    assert.equal((await play.history()).length, before)
    assert.match((await play.progress()).waitsFor!, /the stop at 95 to be reached, at the broker as .*-p1$/)
    await play.tell(idOf(play, 'plan', 1), 'FILLED', '10')
    const end = await ends()
    assert.equal(end.exit?.status, 'filled')
    assert.equal(play.script.callsOf('recordExitTrouble').length, 0)
  })

  for (const status of ['REJECTED', 'CANCELLED'] as const)
    it(`an exit plan is placed again, and alerted of, when its order is ${status.toLowerCase()} by nobody here`, async () => {
      await begin({}, (script) => script.answer('submitOrder', acceptsFilled))
      await play.tell(idOf(play, 'plan', 1), status, '4')
      await ends()
      assert.deepEqual(exitsOf(play), ['p1', 'p2'])
      assert.equal(play.sent(idOf(play, 'plan', 2))[0]?.quantity, '6')
      assert.deepEqual(
        play.script.inputs('recordExitTrouble').map(({ kind }) => kind),
        ['ended'],
      )
    })

  it('an exit plan is renewed in the next session without an alert when its order expires, until the position is closed', async () => {
    const opening = await stage.minutesFromNow(16 * 60)
    await begin({}, (script) =>
      script.answer('submitOrder', acceptsFilled).answer(
        'sizeExit',
        ({ filledQuantity: q }) => ({ quantity: q, coversQuantity: q, notBefore: null }),
        () => ({
          quantity: null,
          coversQuantity: null,
          notBefore: opening,
        }),
      ),
    )
    await play.tell(idOf(play, 'plan', 1), 'EXPIRED', '0')
    const end = await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'p2'])
    assert.deepEqual(
      play.script.inputs('recordExitTrouble').map(({ kind, isQuiet }) => [kind, isQuiet]),
      [['closed', true]],
    )
    const renewed = play.script.callsOf('submitOrder').at(-1)!
    assert.ok(renewed.at >= opening)
    assert.equal(end.exit?.status, 'filled')
  })

  it('an exit plan for one session is over when its order expires, and its owner is told what has no exit', async () => {
    await begin({ protection: forTheSession })
    await play.tell(idOf(play, 'plan', 1), 'EXPIRED', '4')
    const end = await ends()
    assert.deepEqual(exitsOf(play), ['p1'])
    assert.equal(end.unprotected, '6')
  })

  it('an exit plan for one session leaves the position to the timed exit when its order expires', async () => {
    await begin({ exit: exitAfter(60), protection: forTheSession }, (script) =>
      script.answer('submitOrder', acceptsFilled),
    )
    await play.tell(idOf(play, 'plan', 1), 'EXPIRED', '4')
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
  })

  it('an exit plan takes the place of one for a session that is over, and its levels count again', async () => {
    await begin({ protection: forTheSession, exit: exitAfter(60) }, (script) =>
      script.answer('submitOrder', acceptsFilled),
    )
    await play.tell(idOf(play, 'plan', 1), 'EXPIRED', '0')
    await stage.letPass(1)
    await play.handle.signal(levelCrossed, crossed('stop'))
    await play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection: stopAt95 }] })
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'p2'])
    assert.equal(play.script.callsOf('judgeLevel').length, 0)
  })

  it('an exit plan is refused while the order of the one before it is being cancelled, and beside a timed exit that works', async () => {
    const change = (protection: Protection | null) =>
      play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection }] })
    await begin()
    await change(null)
    await assert.rejects(change(stopAt95))
    await play.tell(idOf(play, 'plan', 1), 'CANCELLED', '0')
    assert.match((await ends()).message, /cancelled by ann/)

    play = await stage.begin({ exit: exitAfter(1) }, (script) => script.answer('submitOrder', acceptsFilled))
    await play.script.called('planExit')
    await stage.letPass(2)
    await play.script.accepted('exit')
    await assert.rejects(change(stopAt95))
    await play.tell(idOf(play, 'timed', 1), 'FILLED', '10')
    await play.result()
  })

  it('ends with an order of it that a person cancels here, and the position stays', async () => {
    await begin({}, (script) =>
      script.answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1),
      ),
    )
    await play.cancelOrder(idOf(play, 'plan', 1))
    const end = await ends()
    assert.match(end.message, /cancelled by bob@example.test; the position stays open/)
    assert.deepEqual(exitsOf(play), ['p1'])
  })

  it('an exit plan is sized anew when its order gave way to another one', async () => {
    await begin({}, (script) =>
      script
        .answer('submitOrder', acceptsFilled)
        .answer('readCancelMarks', () => ({ askedBy: null, gaveWayTo: 'somebody-e1' }))
        .answer(
          'sizeExit',
          ({ filledQuantity: q }) => ({ quantity: q, coversQuantity: q, notBefore: null }),
          () => ({
            quantity: '6',
            coversQuantity: '10',
            notBefore: null,
          }),
        ),
    )
    await play.tell(idOf(play, 'plan', 1), 'CANCELLED', '0')
    await ends()
    assert.equal(play.sent(idOf(play, 'plan', 2))[0]?.quantity, '6')
    assert.equal(play.script.callsOf('recordExitTrouble').length, 0)
  })

  it('gives way to the timed exit when that is due: its end is awaited, what it fills meanwhile counts, the rest is sent', async () => {
    await begin({ exit: exitAfter(5) }, (script) =>
      script.answer('submitOrder', acceptsFilled).answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1, '4'),
      ),
    )
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
    assert.equal(play.sent(idOf(play, 'timed', 2))[0]?.quantity, '6')
    const [cancel] = play.script.inputs('cancelOrder')
    assert.equal(cancel?.givesWay?.to, idOf(play, 'timed', 2))
    const [planned] = play.script.inputs('planExit')
    assert.equal(planned?.progress.generation, 2)
  })

  it('an exit plan has closed the position where its order fills while it is cancelled for the timed exit', async () => {
    await begin({ exit: exitAfter(5) }, (script) =>
      script.answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1, '10'),
      ),
    )
    const end = await ends()
    assert.deepEqual(exitsOf(play), ['p1'])
    assert.equal(end.exit?.status, 'filled')
  })

  it('goes back to the broker while the timed exit cannot be placed for long', async () => {
    const refused = placesNothing('rejected', 'INVALID_ORDER', 'halted')
    await begin({ exit: exitAfter(5) }, (script) =>
      script.answer('submitOrder', refused, refused, refused, refused, accepts, acceptsFilled).answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1),
        cancels(() => play, 'plan', 6),
      ),
    )
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2', 'x3', 'x4', 'x5', 'p6', 'x7'])
  })

  it('closes at market at a stop that was reached and that nothing at the broker acts upon', async () => {
    await begin({}, (script) =>
      script.answer('submitOrder', acceptsFilled).answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1),
      ),
    )
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
    assert.equal(play.sent(idOf(play, 'timed', 2))[0]?.orderType, 'market')
  })

  it('an exit plan has nothing at the broker while none of its levels counts yet, and closes at one that is reached', async () => {
    play = await stage.begin({ protection: stopAt95 }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, acceptsFilled)
        .answer('planProtection', () => ({ order: null })),
    )
    await play.script.called('acknowledgeEnds')
    assert.match((await play.progress()).waitsFor!, /the price to reach a level of the exit plan/)
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['x1'])
  })

  it('takes no account of a level that is none any more', async () => {
    await begin({}, (script) => script.answer('judgeLevel', () => null))
    await play.handle.signal(levelCrossed, crossed('stop'))
    await play.script.called('judgeLevel')
    await play.tell(idOf(play, 'plan', 1), 'FILLED', '10')
    await ends()
    assert.deepEqual(exitsOf(play), ['p1'])
  })

  it('works at a target for ten seconds, and has the stop at the broker again after that', async () => {
    const target = { orderType: 'limit', limitPrice: '110', stopPrice: null, timeInForce: 'day' } as const
    const stop = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
    await begin({}, (script) =>
      script
        .answer(
          'planProtection',
          () => ({ order: stop }),
          () => ({ order: target }),
        )
        .answer('submitOrder', accepts, acceptsFilled)
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
          cancels(() => play, 'target', 2, '4'),
        ),
    )
    await play.handle.signal(levelCrossed, crossed('target'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 't2', 'p3'])
    assert.equal(play.sent(idOf(play, 'target', 2))[0]?.limitPrice, '110')
    assert.equal(play.sent(idOf(play, 'plan', 3))[0]?.quantity, '6')
    const at = (id: string) =>
      Date.parse(
        play.script.callsOf('submitOrder').find(({ input }) => input.request.clientOrderId === id)!.at,
      )
    const worked = at(idOf(play, 'plan', 3)) - at(idOf(play, 'target', 2))
    assert.ok(worked >= 10_000 && worked < 12_000, `${worked} ms`)
    assert.equal(play.script.callsOf('recordExitTrouble').length, 0)
  })

  it('gives up what is left of the entry at a stop that is reached while it works, and closes what has filled', async () => {
    play = await stage.begin({ protection: stopAt95 }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled).answer(
        'cancelOrder',
        cancels(() => play, 'entry', 1, '4'),
      ),
    )
    await play.script.accepted('entry')
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['x1'])
    assert.equal(play.sent(idOf(play, 'timed', 1))[0]?.quantity, '4')
  })

  it('an exit plan is changed at the broker where only its prices change, and told once', async () => {
    await begin({}, (script) => script.answer('adjustProtection', () => 'changed'))
    const protection: Protection = { ...stopAt95, stop: { price: '97' } }
    await play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection }] })
    await play.script.called('adjustProtection')
    await play.tell(idOf(play, 'plan', 1), 'FILLED', '10')
    const end = await ends()
    assert.deepEqual(exitsOf(play), ['p1'])
    assert.equal(play.script.callsOf('recordProtectionChanged').length, 1)
    assert.deepEqual(end.reopenState.terms.protection, protection)
  })

  it('an exit plan has another order take the place of one that cannot be changed to it', async () => {
    await begin({}, (script) =>
      script
        .answer('submitOrder', acceptsFilled)
        .answer('adjustProtection', () => 'other')
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
        ),
    )
    await play.handle.signal(protectionMoved)
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'p2'])
    assert.equal(play.script.callsOf('recordExitTrouble').length, 0)
  })

  it('leaves its order at the broker while all trading is stopped, whatever is due, and closes once that is lifted', async () => {
    const stopped = () => ({ detail: 'All trading is stopped' })
    await begin({ exit: exitAfter(5) }, (script) =>
      script
        .answer('readHalt', stopped, stopped)
        .answer('submitOrder', acceptsFilled)
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
        ),
    )
    await play.handle.signal(levelCrossed, crossed('target'))
    await play.script.called('readHalt')
    await stage.letPass(3)
    assert.equal(play.script.callsOf('cancelOrder').length, 0)
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
    assert.deepEqual(
      play.script.inputs('recordExitTrouble').map(({ kind, detail }) => [kind, detail]),
      [['held', 'All trading is stopped']],
    )
  })

  it('an exit plan is taken away by a person: its order is cancelled, and the position stays', async () => {
    await begin({}, (script) =>
      script.answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1),
      ),
    )
    await play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection: null }] })
    const end = await ends()
    assert.match(end.message, /cancelled by ann; the position stays open/)
  })

  it('an exit plan is taken away by a person beside a timed exit, which stays', async () => {
    await begin({ exit: exitAfter(60) }, (script) =>
      script.answer('submitOrder', acceptsFilled).answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1),
      ),
    )
    await play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection: null }] })
    const end = await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
    assert.equal(end.exit?.status, 'filled')
    const sent = play.script.callsOf('submitOrder')
    assert.ok(Date.parse(sent.at(-1)!.at) - Date.parse(sent[0]!.at) >= 60 * 60_000)
  })

  it('an exit plan is refused in words once its position is closed', async () => {
    await begin()
    await play.tell(idOf(play, 'plan', 1), 'FILLED', '10')
    await ends()
    await assert.rejects(
      play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection: null }] }),
    )
  })

  it('an exit plan has its order at the broker again for a fill that comes after the end of its signal', async () => {
    play = await stage.begin({ protection: stopAt95 }, (script) =>
      script.answer('submitOrder', accepts, accepts, accepts),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '4')
    await play.script.accepted('exit')
    await play.tell(idOf(play, 'plan', 1), 'FILLED', '4')
    await play.result()
    const again = await stage.reopen(play, play.entryId, '7')
    await again.script.accepted('exit', 2)
    const last = exitsOf(play).at(-1)!
    assert.equal(play.sent(`${play.terms.signalId}-${last}`)[0]?.quantity, '3')
    assert.ok(last.startsWith('p'))
    await again.tell(`${play.terms.signalId}-${last}`, 'FILLED', '3')
    assert.deepEqual((await again.result()).exitFilled, '7')
  })

  it('grows with a fill of the entry that comes late, while its order rests', async () => {
    play = await stage.begin({ protection: stopAt95 }, (script) =>
      script.answer('submitOrder', accepts, accepts, acceptsFilled).answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1),
      ),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '4')
    await play.script.accepted('exit')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'p2'])
    assert.equal(play.sent(idOf(play, 'plan', 2))[0]?.quantity, '7')
  })

  it('grows once shares are free that other orders held, while its order rests', async () => {
    await begin({}, (script) =>
      script
        .answer('sizeExit', () => ({ quantity: '4', coversQuantity: '4', notBefore: null }))
        .answer('adjustProtection', () => 'other')
        .answer('submitOrder', acceptsFilled)
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
        ),
    )
    await play.handle.signal('retryExit')
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'p2'])
    assert.equal(play.sent(idOf(play, 'plan', 2))[0]?.quantity, '10')
  })

  it('an exit plan has its stop at the broker again while no order can be placed at its target, and tries that again after 5 minutes', async () => {
    const target = { orderType: 'limit', limitPrice: '110', stopPrice: null, timeInForce: 'day' } as const
    const stop = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
    await begin({}, (script) =>
      script
        .answer(
          'planProtection',
          () => ({ order: stop }),
          () => ({ order: target }),
          () => ({ order: stop }),
          () => ({ order: target }),
        )
        .answer('submitOrder', placesNothing('rejected', 'INVALID_ORDER', 'no'), accepts, acceptsFilled)
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
          cancels(() => play, 'plan', 3),
        ),
    )
    await play.handle.signal(levelCrossed, crossed('target'))
    await play.script.accepted('exit', 2)
    assert.deepEqual(exitsOf(play), ['p1', 't2', 'p3'])
    assert.deepEqual(
      play.script.inputs('recordExitTrouble').map(({ kind }) => kind),
      ['rejected'],
    )
    await play.handle.signal(levelCrossed, crossed('target'))
    await stage.letPass(4)
    assert.equal(play.script.callsOf('judgeLevel').length, 1)
    await stage.letPass(1.1)
    await play.handle.signal(levelCrossed, crossed('target'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 't2', 'p3', 't4'])
  })

  it('closes at market at a stop that is reached while a target is worked at, once the end of that order is known', async () => {
    const target = { orderType: 'limit', limitPrice: '110', stopPrice: null, timeInForce: 'day' } as const
    const stop = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
    await begin({}, (script) =>
      script
        .answer(
          'planProtection',
          () => ({ order: stop }),
          () => ({ order: target }),
        )
        .answer('submitOrder', accepts, acceptsFilled)
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
          // As the broker ends it by itself.
          async () => {
            await play.tell(idOf(play, 'target', 2), 'REJECTED', '4')
            return { report: null }
          },
        ),
    )
    await play.handle.signal(levelCrossed, crossed('target'))
    await play.script.accepted('exit', 2)
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 't2', 'x3'])
    assert.equal(play.sent(idOf(play, 'timed', 3))[0]?.quantity, '6')
  })

  it('tells once that the broker does not cancel the order of an exit plan that is to give way, and asks on', async () => {
    const hangs: Answer<'cancelOrder'> = () => ({ report: null })
    await begin({}, (script) =>
      script.answer('submitOrder', acceptsFilled).answer(
        'cancelOrder',
        hangs,
        hangs,
        hangs,
        cancels(() => play, 'plan', 1),
      ),
    )
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
    const troubles = play.script.inputs('recordExitTrouble')
    assert.equal(troubles.length, 1)
    assert.match(troubles[0]!.detail, /^the broker has not cancelled .*-p1, which is to give way to .*-x2$/)
  })

  it('closes at the next opening at a stop that was reached as the exchange closed, of which its owner knows', async () => {
    const opening = await stage.minutesFromNow(16 * 60)
    await begin({}, (script) =>
      script
        .answer('submitOrder', acceptsFilled)
        .answer(
          'sizeExit',
          ({ filledQuantity: q }) => ({ quantity: q, coversQuantity: q, notBefore: null }),
          () => ({ quantity: null, coversQuantity: null, notBefore: opening }),
        )
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
        ),
    )
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
    assert.deepEqual(
      play.script
        .inputs('recordExitTrouble')
        .map(({ kind, isQuiet, nextTry }) => [kind, isQuiet, nextTry?.usual]),
      [['held', undefined, opening]],
    )
    const late = Date.parse(play.script.callsOf('submitOrder').at(-1)!.at) - Date.parse(opening)
    assert.ok(late >= 0 && late < 2_000, `${late} ms after the opening`)
  })

  it('closes at its stop where the order that was decided before the stop was reached is placed first', async () => {
    const stop = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
    await begin({}, (script) =>
      script
        .answer('submitOrder', accepts, acceptsFilled)
        .answer(
          'sizeExit',
          ({ filledQuantity: q }) => ({ quantity: q, coversQuantity: q, notBefore: null }),
          ({ filledQuantity: q }) => ({
            quantity: q,
            coversQuantity: q,
            notBefore: null,
            order: { isFor: 'plan', terms: stop },
          }),
        )
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
          cancels(() => play, 'plan', 2),
        ),
    )
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'p2', 'x3'])
  })

  it('an exit plan has its stop at the broker at once after an order at its target that the broker took and then rejected', async () => {
    const target = { orderType: 'limit', limitPrice: '110', stopPrice: null, timeInForce: 'day' } as const
    const stop = { orderType: 'stop', limitPrice: null, stopPrice: '95', timeInForce: 'gtc' } as const
    await begin({}, (script) =>
      script
        .answer(
          'planProtection',
          () => ({ order: stop }),
          () => ({ order: target }),
        )
        .answer('submitOrder', accepts, acceptsFilled)
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
        ),
    )
    await play.handle.signal(levelCrossed, crossed('target'))
    await play.script.accepted('exit', 2)
    await play.tell(idOf(play, 'target', 2), 'REJECTED', '0')
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 't2', 'p3'])
    const [, rejected, placed] = play.script.callsOf('recordAccepted').slice(1)
    assert.ok(Date.parse(placed!.at) - Date.parse(rejected!.at) < 5_000)
  })

  it('an exit plan is taken away by a person while its target is worked at: nothing is sold on', async () => {
    await begin({}, (script) =>
      script.answer('submitOrder', accepts).answer(
        'cancelOrder',
        cancels(() => play, 'plan', 1),
        cancels(() => play, 'target', 2, '4'),
      ),
    )
    await play.handle.signal(levelCrossed, crossed('target'))
    await play.script.accepted('exit', 2)
    await play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection: null }] })
    const end = await ends()
    assert.deepEqual(exitsOf(play), ['p1', 't2'])
    assert.match(end.message, /cancelled by ann; the position stays open/)
  })

  it('an exit plan may be changed while its stop waits for the opening, after which nothing is sold by the one before', async () => {
    const opening = await stage.minutesFromNow(16 * 60)
    await begin({}, (script) =>
      script
        .answer('submitOrder', acceptsFilled)
        .answer(
          'sizeExit',
          ({ filledQuantity: q }) => ({ quantity: q, coversQuantity: q, notBefore: null }),
          () => ({ quantity: null, coversQuantity: null, notBefore: opening }),
        )
        .answer(
          'cancelOrder',
          cancels(() => play, 'plan', 1),
        ),
    )
    await play.handle.signal(levelCrossed, crossed('stop'))
    await play.script.called('recordExitTrouble')
    await eventually(() =>
      play.handle.executeUpdate(changeProtection, { args: [{ by: 'ann', protection: stopAt90 }] }),
    )
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'p2'])
  })

  it('acts upon a stop that is reached while its order cannot be changed at the broker', async () => {
    const hangs: Answer<'cancelOrder'> = () => ({ report: null })
    const busy = (): never => {
      throw ApplicationFailure.retryable('pending_replace', 'BrokerBusy')
    }
    await begin({}, (script) =>
      script
        .answer('adjustProtection', ...Array<() => never>(30).fill(busy))
        .answer('submitOrder', acceptsFilled)
        .answer(
          'cancelOrder',
          hangs,
          hangs,
          cancels(() => play, 'plan', 1),
        ),
    )
    await play.handle.signal(protectionMoved)
    await play.script.called('adjustProtection', 2)
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['p1', 'x2'])
  })

  it('tells that the broker does not cancel the rest of an entry at a level of its plan', async () => {
    const hangs: Answer<'cancelOrder'> = () => ({ report: null })
    play = await stage.begin({ protection: stopAt95 }, (script) =>
      script.answer('submitOrder', accepts, acceptsFilled).answer(
        'cancelOrder',
        hangs,
        hangs,
        hangs,
        cancels(() => play, 'entry', 1, '4'),
      ),
    )
    await play.script.accepted('entry')
    await play.handle.signal(levelCrossed, crossed('stop'))
    await ends()
    assert.deepEqual(exitsOf(play), ['x1'])
    assert.match(play.script.inputs('recordExitTrouble')[0]!.detail, /^the broker has not cancelled .*-e1/)
  })
})
