import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { workflowIdFor } from '#domain/signal/signal.ts'
import type { ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import {
  changed,
  Intruder,
  plain,
  relabelled,
  sealedByStranger,
  truncated,
  type RawPayload,
} from '#test/support/intruder.ts'
import { lettersOf } from '#test/support/letters.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { addresses, seal } from '#workflows/messages/address-contract.ts'
import { SIGNAL_WORKFLOW } from '#workflows/names.ts'
import { orderChanged } from '#workflows/order/contract.ts'
import { approveSignal, declineSignal, retryExit } from '#workflows/signal/contract.ts'
import { assertOneEntryOneExit, ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'

/** Each way in which somebody without a key can come by something that looks like a message. */
const FORGERIES: Record<string, (own: RawPayload, foreign: RawPayload, victim: string) => RawPayload[]> = {
  'nothing at all': () => [],
  'plain text': () => [plain({ by: 'intruder', quantity: '999', limitPrice: null, sendBefore: null })],
  'a plain envelope': () => [plain(seal(addresses.signal(orderChanged.name), [{}]))],
  'the mark of the unreadable': () => [plain({ unreadable: 'nothing' })],
  'a copy from another signal': (_own, foreign) => [foreign],
  'a copy from another signal under this one’s name': (_own, foreign, victim) => [
    relabelled(foreign, victim),
  ],
  'a copy of what this signal was started with': (own) => [own],
  'a copy cut off': (own) => [truncated(own)],
  'a copy with a bit changed': (own) => [changed(own)],
  'two copies in one message': (own) => [own, own],
  'a payload sealed with another key of the same name': (own) => [sealedByStranger(own, {})],
  'a payload sealed with an unknown key': (own) => [sealedByStranger(own, {}, 'k0')],
  'bytes without metadata': () => [{ data: new Uint8Array([1, 2, 3]) }],
}

describe('an intruder in Temporal without a key', function () {
  this.timeout(120_000)
  const service = useStack({ worker: { BROKER_POLL_INTERVAL: '3s' } })
  let intruder: Intruder
  let person: ApiClient
  let number = 0
  before(async () => {
    intruder = await Intruder.at(service.stack.addresses.temporal)
    person = await service.stack.signIn()
  })
  after(() => intruder?.close())

  const { sent: send } = senderOn(service)
  const pending = (changes: object = {}): Promise<string> => send({ executeMode: 'pending', ...changes })
  const approve = async (id: string): Promise<void> => {
    const { status, body } = await person.post(`/signals/${id}/process`, {})
    assert.equal(status, 200, JSON.stringify(body))
  }
  const entriesOf = async (id: string) => ordersAtVenue(await service.stack.venue.ledger(), id, 'entry')

  /** A signal whose entry rests until the price falls; then it wants to leave at once. */
  async function resting(): Promise<{ id: string; fill: () => Promise<void> }> {
    const symbol = `ZTINT${lettersOf((number += 1))}`
    await service.stack.venue.pin(symbol, 100)
    const rest = { orderType: 'limit', limitPrice: 95, timeInForce: 'gtc', exitTriggerType: 'immediate' }
    const id = await send({ symbol, ...rest })
    return { id, fill: () => service.stack.venue.pin(symbol, 94) }
  }

  /** What the owner was alerted to about a signal. */
  async function alertsOf(id: string): Promise<{ id: string; message: string }[]> {
    const { body } = await service.stack.api.get(`/alerts?kind=untrusted_message&signalId=${id}`)
    return body.data.alerts
  }
  const assertAlerted = (id: string, words: RegExp): Promise<void> =>
    eventually(async () => assert.match((await alertsOf(id))[0]?.message ?? 'no alert', words))

  describe('and copies an approval from one signal’s history to another’s', () => {
    let victim: string
    let stolen: RawPayload[]
    before(async () => {
      const source = await pending({ quantity: 999 })
      await approve(source)
      ;[stolen] = (await intruder.updatesOf(workflowIdFor(source), approveSignal.name)) as [RawPayload[]]
      assert.equal(stolen.length, 1)
      victim = await pending({ quantity: 7 })
    })

    it('an intruder in Temporal without a key and copies an approval from one signal’s history to another’s is refused; nothing is bought and the signal still waits', async () => {
      assert.notEqual(
        await intruder.update(workflowIdFor(victim), approveSignal.name, stolen, 'approve'),
        null,
      )
      const asIfOwn = stolen.map((payload) => relabelled(payload, workflowIdFor(victim)))
      assert.notEqual(await intruder.update(workflowIdFor(victim), approveSignal.name, asIfOwn), null)
      assert.deepEqual(await entriesOf(victim), [])
      assert.equal((await shown(service.stack, victim)).status, 'pending')
    })

    it('alerts the owner, naming the message', async () => {
      await assertAlerted(victim, /"update approveSignal [0-9a-f]+" that is not trusted/)
    })

    it('an intruder in Temporal without a key and copies an approval from one signal’s history to another’s does not keep the owner from approving it: seven shares are bought', async () => {
      await approve(victim)
      assert.deepEqual(
        (await entriesOf(victim)).map(({ qty }) => qty),
        ['7'],
      )
    })
  })

  describe('and sends a signal that waits for a person', () => {
    let victim: string
    let foreign: RawPayload
    before(async () => {
      const other = await pending()
      ;[foreign] = (await intruder.inputOf(workflowIdFor(other))) as [RawPayload]
      victim = await pending()
    })

    for (const [name, forge] of Object.entries(FORGERIES))
      it(`${name} as an approval and as a refusal: both are turned down`, async () => {
        const id = workflowIdFor(victim)
        const [own] = (await intruder.inputOf(id)) as [RawPayload]
        for (const { name: message } of [approveSignal, declineSignal])
          assert.equal(await intruder.update(id, message, forge(own, foreign, id)), 'Untrusted')
        assert.equal((await shown(service.stack, victim)).status, 'pending')
      })

    it('an update that does not exist: turned down', async () => {
      const id = workflowIdFor(victim)
      assert.notEqual(await intruder.update(id, 'sellEverything', await intruder.inputOf(id)), null)
    })

    it('an intruder in Temporal without a key and sends a signal that waits for a person does not keep its owner from approving it, once', async () => {
      await assertAlerted(victim, /is not trusted/)
      await approve(victim)
      assert.equal((await entriesOf(victim)).length, 1)
    })
  })

  describe('and sends a signal whose entry rests at the broker', () => {
    for (const [name, forge] of Object.entries(FORGERIES))
      it(`${name} as news of an order: dropped with an alert, and the exit is placed`, async () => {
        const { id, fill } = await resting()
        const other = await pending()
        const workflowId = workflowIdFor(id)
        const [own] = (await intruder.inputOf(workflowId)) as [RawPayload]
        const [foreign] = (await intruder.inputOf(workflowIdFor(other))) as [RawPayload]
        for (const { name: message } of [orderChanged, retryExit])
          await intruder.signal(workflowId, message, forge(own, foreign, workflowId))
        await assertAlerted(id, /"signal (orderChanged|retryExit)" that is not trusted/)
        await fill()
        await assertOneEntryOneExit(service.stack, id)
      })

    it('a message that does not exist: alerted, and the exit is placed', async () => {
      const { id, fill } = await resting()
      await intruder.signal(workflowIdFor(id), 'sellEverything', [plain({})])
      await assertAlerted(id, /"signal sellEverything"/)
      await fill()
      await assertOneEntryOneExit(service.stack, id)
    })

    it('an acknowledged alert stays over when the worker replays the history', async () => {
      const { id, fill } = await resting()
      await intruder.signal(workflowIdFor(id), orderChanged.name, [plain({})])
      const [alert] = await eventually(async () => {
        const found = await alertsOf(id)
        assert.equal(found.length, 1)
        return found
      })
      const { status } = await person.post(`/alerts/${alert!.id}/acknowledge`, {})
      assert.equal(status, 200)
      await service.stack.parts.worker.restart()
      await fill()
      await assertOneEntryOneExit(service.stack, id)
      assert.deepEqual(await alertsOf(id), [])
    })
  })

  it('an intruder in Temporal without a key and repeats and reorders genuine news of a fill causes no second exit', async () => {
    const { id, fill } = await resting()
    await fill()
    const workflowId = workflowIdFor(id)
    const news = await eventually(async () => {
      const found = await intruder.signalsOf(workflowId, orderChanged.name)
      assert.ok(found.length > 0)
      return found
    })
    for (const payloads of [...news, ...news].toReversed())
      await intruder.signal(workflowId, orderChanged.name, payloads).catch((error: unknown) => {
        // The signal may have ended meanwhile, which is what this is about.
        assert.match(String(error), /already completed|not found/i)
      })
    await assertOneEntryOneExit(service.stack, id)
  })

  describe('and answers in the place of a worker that sends an order', () => {
    type Answer = (workflowId: string, activityId: string) => Promise<void>
    const ANSWERS: Record<string, Answer> = {
      'with a plain acceptance': (workflowId, activityId) =>
        intruder.completeActivity(workflowId, activityId, [
          plain(seal(addresses.resultOf('submitOrder'), [{ outcome: 'rejected', code: 'X', detail: '' }])),
        ]),
      'with what the worker was asked': async (workflowId, activityId) =>
        intruder.completeActivity(workflowId, activityId, await intruder.askedOf(workflowId, activityId)),
      'with what the signal was started with': async (workflowId, activityId) =>
        intruder.completeActivity(workflowId, activityId, await intruder.inputOf(workflowId)),
      'with a failure for good': (workflowId, activityId) =>
        intruder.failActivity(workflowId, activityId, 'BrokerBusy'),
    }
    for (const [name, answer] of Object.entries(ANSWERS))
      it(`${name}: the order is sent once all the same, and gets its exit`, async () => {
        const symbol = `ZTACT${lettersOf((number += 1))}`
        await service.stack.venue.pin(symbol, 100)
        await service.stack.venue.script([{ on: 'submit', mode: 'hang', symbol, hangMs: 6_000 }])
        const id = await send({ symbol, exitTriggerType: 'immediate' })
        const workflowId = workflowIdFor(id)
        const activityId = await eventually(() => intruder.activityUnderWay(workflowId, 'submitOrder'))
        await answer(workflowId, activityId)
        await assertAlerted(id, /"result of submitOrder" that is not trusted/)
        await service.stack.venue.clearScript()
        await assertOneEntryOneExit(service.stack, id, { within: 60_000 })
      })
  })

  describe('and starts workflows', () => {
    it('again from the input of one that they ended: no second order is sent', async () => {
      const symbol = `ZTTWICE${lettersOf((number += 1))}`
      const id = await send({ symbol, exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 60 })
      const workflowId = workflowIdFor(id)
      await eventually(async () => assert.equal((await shown(service.stack, id)).exit.status, 'scheduled'))
      const input = await intruder.inputOf(workflowId)
      await intruder.terminate(workflowId)
      await intruder.start(workflowId, SIGNAL_WORKFLOW, input)
      // It goes on to where the first one was.
      await eventually(async () => {
        const client = await service.stack.temporal()
        const { waitsFor } = await client.workflow
          .getHandle(workflowId)
          .query<{ waitsFor: string }>('signalProgress')
        assert.equal(waitsFor, 'the exit time')
      })
      assert.equal((await entriesOf(id)).length, 1)
    })

    for (const [name, forge] of Object.entries(FORGERIES))
      it(`an intruder in Temporal without a key and starts workflows from ${name}: they fail before they do anything`, async () => {
        const other = await pending()
        const [foreign] = (await intruder.inputOf(workflowIdFor(other))) as [RawPayload]
        const id = randomUUID()
        const workflowId = workflowIdFor(id)
        await intruder.start(workflowId, SIGNAL_WORKFLOW, forge(foreign, foreign, workflowId))
        await eventually(async () => assert.equal(await intruder.stateOf(workflowId), 'FAILED'))
        assert.deepEqual(await entriesOf(id), [])
        assert.equal((await shown(service.stack, other)).status, 'pending')
      })
  })
})
