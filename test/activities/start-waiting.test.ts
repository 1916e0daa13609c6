import assert from 'node:assert/strict'
import { BrokerOutcomeUnknown } from '#brokers/port.ts'
import type { Signal } from '#db/entities/index.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { held } from '#test/support/sample-position.ts'
import type { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { codeOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const AT = '2026-03-02T15:00:02.000Z'

describe('beginning to wait', () => {
  let { desk, em, broker, prepare, setLimits } = {} as ActivityDesk
  useDesk((opened) => ({ desk, em, broker, prepare, setLimits } = opened))

  const accepted = (fields: Partial<Signal> = {}): Promise<Signal> =>
    desk.accepted({ status: 'pending', executeMode: 'pending', ...fields })
  const beginWaiting = ({ id: signalId }: Signal, what: 'person' | 'time' = 'person'): Promise<void> =>
    desk.activities.recordWaiting({ signalId, at: AT, for: what, until: null })
  const outcomeOf = async (signal: Signal): Promise<string> => codeOf(await prepare(signal))

  it('beginning to wait for a person at 100 and approved at 106: PRICE_DRIFTED, with both prices and the limit', async () => {
    const signal = await accepted()
    await beginWaiting(signal)
    broker.lastPrice = '106'
    const prepared = await prepare(signal)
    assert.ok(prepared.outcome === 'denied')
    assert.equal(prepared.code, 'PRICE_DRIFTED')
    for (const figure of ['$106', '$100', '6 %', '5 %'])
      assert.ok(prepared.detail.includes(figure), `${figure} is not in: ${prepared.detail}`)
  })

  it('beginning to wait for a person, and approved within the limit: ready', async () => {
    const signal = await accepted()
    await beginWaiting(signal)
    broker.lastPrice = '105'
    assert.equal(await outcomeOf(signal), 'ready')
  })

  it('again, because the worker died after it: the price of the first time counts', async () => {
    const signal = await accepted()
    await beginWaiting(signal)
    broker.lastPrice = '106'
    await beginWaiting(signal)
    assert.equal(await outcomeOf(signal), 'PRICE_DRIFTED')
    assert.equal((await timelineOf(em, signal.id)).length, 1)
  })

  it('beginning to wait with the limit switched off: ready at any price', async () => {
    await setLimits({ maxApprovalDriftPercent: null })
    const signal = await accepted()
    await beginWaiting(signal)
    broker.lastPrice = '200'
    assert.equal(await outcomeOf(signal), 'ready')
  })

  it('beginning to wait with a price known, and none at its approval: PRICE_UNKNOWN', async () => {
    await setLimits({ maxOrderValue: null, maxPositionValue: null })
    const signal = await accepted()
    await beginWaiting(signal)
    broker.lastPrice = null
    assert.equal(await outcomeOf(signal), 'PRICE_UNKNOWN')
  })

  const unknown: Record<string, (broker: ScriptedBroker) => void> = {
    'that knows no price': (silent) => (silent.lastPrice = null),
    'that fails': (silent) => (silent.outage = new BrokerOutcomeUnknown('connection reset')),
    'that does not answer': (silent) => (silent.latency = () => new Promise(() => {})),
  }
  for (const [which, silence] of Object.entries(unknown))
    it(`beginning to wait at a broker ${which}: it waits all the same, and is not held to a price`, async () => {
      silence(broker)
      const signal = await accepted()
      await beginWaiting(signal)
      assert.equal((await timelineOf(em, signal.id)).length, 1)
      Object.assign(broker, { lastPrice: '500', outage: null, latency: () => {} })
      assert.equal(await outcomeOf(signal), 'ready')
    })

  it('beginning to wait to close a position: sent at any price, and none is asked for', async () => {
    broker.positions = [held('10', 'LONG')]
    const signal = await accepted({ action: 'closeLong' })
    await beginWaiting(signal)
    assert.equal(broker.requests.get('getLastPrice'), undefined)
    broker.lastPrice = '10'
    assert.equal(await outcomeOf(signal), 'ready')
  })

  it('beginning to wait for its time: no price is asked for', async () => {
    await beginWaiting(await accepted({ status: 'scheduled', executeMode: 'scheduled' }), 'time')
    assert.equal(broker.requests.get('getLastPrice'), undefined)
  })
})
