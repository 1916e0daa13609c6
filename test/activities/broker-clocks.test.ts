import assert from 'node:assert/strict'
import { BrokerClocks } from '#activities/brokers.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'

describe('the difference of the clock of a broker', () => {
  it('follows our own clock when that is set after it was measured', async () => {
    const broker = new ScriptedBroker()
    let asked = 0
    broker.getClock = async () => {
      asked += 1
      return { now: new Date(Date.now() + 20_000).toISOString(), isOpen: true } as Awaited<
        ReturnType<typeof broker.getClock>
      >
    }
    let setBy = 0
    const clocks = new BrokerClocks(
      async () => broker,
      () => Date.now() + setBy,
    )
    const isAbout = (found: number | null, wanted: number) =>
      assert.ok(found !== null && Math.abs(found - wanted) < 500, `${found}`)
    isAbout(await clocks.offsetOf('an account'), 20_000)
    const before = asked
    setBy = 15_000
    isAbout(await clocks.offsetOf('an account'), 5_000)
    setBy = -15_000
    isAbout(await clocks.offsetOf('an account'), 35_000)
    assert.equal(asked, before)
  })
})
