import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { ApplicationFailure } from '@temporalio/common'
import type { Decimal } from '#domain/decimal.ts'
import {
  accepts,
  acceptsFilled,
  fails,
  placesNothing,
  takenBack,
  type Answer,
} from '../../support/recording-activities.ts'
import { exitAtOnce } from '../../support/sample-signal.ts'
import type { SignalPlay } from '../../support/signal-play.ts'
import { retryExit } from '#workflows/signal/contract.ts'
import { useStage } from '#test/support/signal-stage.ts'

const refusal = placesNothing('rejected', 'INVALID_ORDER', 'the symbol is halted')
const keysRejected = placesNothing('rejected', 'BROKER_CREDENTIALS_INVALID', 'the keys are revoked')
const times = <T>(count: number, value: T): T[] => Array.from({ length: count }, () => value)

describe('an exit that cannot be placed', function () {
  this.timeout(30_000)
  const stage = useStage()

  /** A signal whose entry is filled and whose exit gets these answers. */
  const begin = (...answers: Answer<'submitOrder'>[]): Promise<SignalPlay> =>
    stage.begin({ exit: exitAtOnce }, (script) => script.answer('submitOrder', acceptsFilled, ...answers))

  /** Minutes between the tries, rounded down. */
  const distances = (play: SignalPlay): number[] => {
    const at = play.script
      .callsOf('submitOrder')
      .slice(1)
      .map((call) => Date.parse(call.at))
    return at.slice(1).map((instant, index) => Math.floor((instant - at[index]!) / 60_000))
  }

  it('an exit that cannot be placed is tried every 15 minutes only, once a person has acknowledged the alert', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, ...times(4, refusal), acceptsFilled)
        .answer(
          'recordExitTrouble',
          () => ({ acknowledged: false }),
          ...times(3, () => ({ acknowledged: true })),
        ),
    )
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(distances(play), [0, 15, 15, 15])
  })

  const opposed = placesNothing('rejected', 'OPPOSITE_ORDER', 'potential wash trade: order abc at the broker')
  const sizings = (play: SignalPlay) => play.script.inputs('sizeExit').map((input) => input.opposed)

  it('an exit that cannot be placed because of an order from elsewhere on the other side goes round it at once, and alerts nobody', async () => {
    const play = await begin(opposed, acceptsFilled)
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual([sizings(play), distances(play)], [[undefined, true], [0]])
    const told = play.script.inputs('recordExitTrouble').map(({ code, isQuiet }) => [code, isQuiet])
    assert.deepEqual(told, [['OPPOSITE_ORDER', true]])
  })

  it('an exit that cannot be placed because of an order from elsewhere that it cannot go round alerts its owner, and climbs the ladder', async () => {
    const play = await begin(opposed, opposed, opposed, acceptsFilled)
    assert.equal((await play.result()).exitFilled, '10')
    const told = play.script.inputs('recordExitTrouble').map(({ isQuiet }) => isQuiet)
    assert.deepEqual(told, [true, undefined, undefined])
  })

  it('an exit that cannot be placed is tried at once after a retryExit message that came while it was being sized', async () => {
    const begun = Promise.withResolvers<SignalPlay>()
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, acceptsFilled).answer('sizeExit', async () => {
        await (await begun.promise).handle.signal(retryExit)
        return {
          quantity: null,
          coversQuantity: null,
          notBefore: null,
          obstacle: 'another order holds the shares',
        }
      }),
    )
    begun.resolve(play)
    assert.equal((await play.result()).exitFilled, '10')
    const [first, second] = play.script.callsOf('sizeExit').map(({ at }) => Date.parse(at))
    assert.ok(second! - first! < 5_000, 'the ladder begins with six seconds')
  })

  it('goes on for the rest of the shares that its owner has chosen, beyond those of the entry', async () => {
    const sized = (quantity: Decimal, coversQuantity: Decimal) => () =>
      ({ quantity, coversQuantity, notBefore: null }) as const
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, accepts, acceptsFilled)
        .answer('sizeExit', sized('100', '10'), sized('60', '60')),
    )
    await play.script.accepted('exit')
    await play.tell(play.exitId(1), 'EXPIRED', '40')
    assert.equal((await play.result()).exitFilled, '100')
    assert.deepEqual(
      play.script.inputs('sizeExit').map(({ filledQuantity }) => filledQuantity),
      ['10', '60'],
    )
  })

  it('an exit that cannot be placed is tried at once after a retryExit message', async () => {
    const play = await begin(...times(5, keysRejected), acceptsFilled)
    for (const [tries, minutes] of [0.1, 0.25, 1].entries()) {
      await play.script.called('recordExitTrouble', tries + 1)
      await stage.letPass(minutes)
    }
    await play.script.called('recordExitTrouble', 4)
    await play.handle.signal(retryExit)
    await play.script.called('recordExitTrouble', 5)
    await play.handle.signal(retryExit)
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(distances(play).slice(3), [0, 0])
  })

  it('an exit that cannot be placed can be cancelled by a person while it waits for its next try: closed, the position stays', async () => {
    const play = await begin(...times(9, refusal))
    await play.script.called('recordExitTrouble', 1)
    assert.equal((await play.cancelExit('ann@example.test')).status, 'executed')
    assert.equal((await play.result()).exitFilled, '0')
    const [cancel] = play.script.inputs('recordExitCancelled')
    assert.deepEqual([cancel?.by, cancel?.generation], ['ann@example.test', 2])
    const [closed] = play.script.inputs('recordClosed')
    assert.equal(closed?.exit, null)
    assert.match(closed.message, /cancelled by ann@example.test; the position stays open/)
    assert.equal(play.script.inputs('submitOrder').length, 2)
  })

  it('an exit that cannot be placed cannot be cancelled while its order is at the broker', async () => {
    const play = await begin(accepts)
    await play.script.accepted('exit')
    await assert.rejects(play.cancelExit(), /Update failed|Workflow Update failed/)
    await play.tell(play.exitId(), 'FILLED', '10')
    await play.result()
  })

  it('an exit that cannot be placed that is rejected repeatedly after its acceptance has growing pauses too', async () => {
    const play = await begin(...times(3, accepts), acceptsFilled)
    for (const [generation, minutes] of [
      [1, 0.1],
      [2, 0.25],
      [3, 1],
    ] as const) {
      await play.script.accepted('exit', generation)
      await play.tell(play.exitId(generation), 'REJECTED', '0')
      await play.script.called('recordExitTrouble', generation)
      await stage.letPass(minutes)
    }
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(distances(play), [0, 0, 1])
  })

  it('an exit that cannot be placed that has filled in part when it is rejected begins with the shortest pause again', async () => {
    const play = await begin(refusal, refusal, accepts, acceptsFilled)
    await play.script.accepted('exit')
    await play.tell(play.exitId(3), 'REJECTED', '4')
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(distances(play), [0, 0, 0])
  })

  it('an exit that cannot be placed whose size was taken back is sized anew under the next number, and its owner is told', async () => {
    const play = await begin(takenBack('its shares were sold'), acceptsFilled)
    assert.equal((await play.result()).exitFilled, '10')
    const [trouble] = play.script.inputs('recordExitTrouble')
    assert.deepEqual(
      [trouble?.kind, trouble?.code, trouble?.detail, trouble?.generation],
      ['taken_back', null, 'its shares were sold', 1],
    )
    assert.deepEqual(
      play.script.inputs('sizeExit').map(({ generation }) => generation),
      [1, 2],
    )
    assert.deepEqual([play.sent(play.exitId(1)).length, play.sent(play.exitId(2)).length], [1, 1])
  })

  it('an exit that cannot be placed that was given up by a worker whose task was lost goes on with the next number, and its owner is told', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, acceptsFilled).answer('sizeExit', () => ({
        quantity: null,
        coversQuantity: null,
        notBefore: null,
        givenUp: true,
      })),
    )
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual([play.sent(play.exitId(1)).length, play.sent(play.exitId(2)).length], [0, 1])
    assert.deepEqual(
      play.script.inputs('recordExitTrouble').map(({ kind, generation }) => [kind, generation]),
      [['taken_back', 1]],
    )
  })

  for (const [name, kind] of [
    ['sizeExit', 'held'],
    ['planExit', 'unplanned'],
  ] as const) {
    it(`an exit that cannot be placed because ${name} cannot be answered: its owner is alerted within seconds, and it goes out when it can`, async () => {
      const down = fails('the broker does not answer', 'BrokerOutcomeUnknown')
      const play = await stage.begin({ exit: exitAtOnce }, (script) =>
        script.answer('submitOrder', acceptsFilled, acceptsFilled).answer(name, ...times(8, down)),
      )
      assert.equal((await play.result()).exitFilled, '10')
      const troubles = play.script.inputs('recordExitTrouble')
      assert.deepEqual(
        troubles.map((trouble) => [trouble.kind, trouble.code, trouble.detail]),
        [[kind, null, 'the broker does not answer']],
      )
    })
  }

  it('an exit that cannot be placed because the request limit of the broker is reached for long: its owner is told that, and until when', async () => {
    const words = 'The broker’s request limit is reached; nothing is sent until 2026-11-25T15:00:00Z'
    const limited = (): never => {
      throw ApplicationFailure.create({ message: words, type: 'BrokerBusy', nextRetryDelay: 60_000 })
    }
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, acceptsFilled).answer('sizeExit', ...times(3, limited)),
    )
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(
      play.script.inputs('recordExitTrouble').map(({ detail }) => detail),
      [words],
    )
  })

  it('an exit that cannot be placed because a step fails once and is not answered after that: its owner is told why it failed', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, acceptsFilled)
        .answer('sizeExit', fails('the keys are refused', 'OutcomeUnknown'), async () => {
          await pause(6_000)
          return { quantity: '10', coversQuantity: '10', notBefore: null }
        }),
    )
    assert.equal((await play.result()).exitFilled, '10')
    assert.deepEqual(
      play.script.inputs('recordExitTrouble').map(({ detail }) => detail),
      ['the keys are refused'],
    )
  })

  it('acknowledges late fills meanwhile, once, and closes them too', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', accepts, refusal, acceptsFilled),
    )
    await play.script.accepted('entry')
    await play.tell(play.entryId, 'CANCELLED', '6')
    await play.script.called('recordExitTrouble')
    await play.tell(play.entryId, 'CANCELLED', '7')
    await play.script.called('acknowledgeEnds')
    assert.deepEqual(play.script.inputs('acknowledgeEnds')[0]?.acknowledges, [
      { clientOrderId: play.entryId, filledQuantity: '7' },
    ])
    await play.tell(play.entryId, 'CANCELLED', '7')
    assert.equal((await play.result()).exitFilled, '7')
    assert.equal(play.script.inputs('acknowledgeEnds').length, 1)
    assert.equal(play.sent(play.exitId(2))[0]?.quantity, '7')
  })
})
