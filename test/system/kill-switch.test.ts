import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { HALT_LEVELS, type HaltLevel } from '#domain/risk/halt.ts'
import type { ApiAnswer, ApiClient } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, ordersAtVenue, shown, senderOn } from '#test/service/sent-signal.ts'

/** What an entry is refused with, level by level. */
const CODES: Record<HaltLevel, string> = {
  pauseEntries: 'TRADING_PAUSED',
  reduceOnly: 'REDUCE_ONLY',
  fullStop: 'TRADING_STOPPED',
}
/** So long after the halt is acknowledged an order may still arrive that had left before, in milliseconds. */
const ON_ITS_WAY_MS = 1_000
const BETWEEN_SIGNALS_MS = 100

describe('the kill switch on the whole service', function () {
  this.timeout(120_000)
  const service = useStack()
  let person: ApiClient
  before(async () => {
    person = await service.stack.signIn()
  })

  const { send } = senderOn(service)
  const inSeconds = (seconds: number): string =>
    new Date(Date.now() + seconds * 1_000).toISOString().slice(0, 23)
  const haltPath = (): string => `/settings/halt/${service.stack.accountId}`
  const exitsOf = async (id: string) => ordersAtVenue(await service.stack.venue.ledger(), id, 'exit')

  /** A signal whose entry rests until the price falls; then it wants to leave at once. */
  async function resting(symbol: string): Promise<string> {
    await service.stack.venue.pin(symbol, 100)
    const rest = { orderType: 'limit', limitPrice: 95, timeInForce: 'gtc', exitTriggerType: 'immediate' }
    const { status, body } = await send({ symbol, ...rest })
    assert.equal(status, 201, JSON.stringify(body))
    return body.signal.id
  }

  async function fill(symbol: string, id: string): Promise<void> {
    await service.stack.venue.pin(symbol, 94)
    await eventually(async () => assert.equal((await shown(service.stack, id)).filledQuantity, 10))
  }

  async function killEverything(): Promise<void> {
    const { parts } = service.stack
    await Promise.all(Object.values(parts).map((part) => part.kill()))
    await Promise.all([parts.postgres.start(), parts.temporal.start(), parts.venue.start()])
    await Promise.all([parts.worker.start(), parts.api.start()])
    await service.stack.untilReady()
  }

  /** The signal is refused by the halt: in the answer already, unless the service needs longer for it. */
  async function assertRefused({ body }: ApiAnswer, level: HaltLevel): Promise<void> {
    await assertHalted(body.signal?.id ?? body.details[0].signalId, level)
  }

  async function assertHalted(id: string, level: HaltLevel): Promise<void> {
    await eventually(async () => {
      const { status, statusReason } = await shown(service.stack, id)
      assert.deepEqual([status, statusReason], ['rejected', CODES[level]])
    })
    assert.deepEqual(ordersAtVenue(await service.stack.venue.ledger(), id), [])
  }

  for (const [number, level] of HALT_LEVELS.entries())
    describe(`at ${level}`, () => {
      const name = (word: string): string => `${word}${lettersOf(number)}`
      const flowed = async () =>
        (await service.stack.venue.ledger()).orders.filter(({ symbol }) => symbol === name('ZTFLOW'))
      let haltedAt: number
      let working: string
      let stopped: string
      let scheduled: string

      before(async () => {
        working = await resting(name('ZTWORKS'))
        stopped = await resting(name('ZTWAITS'))
        const end = new AbortController()
        const flowing = (async () => {
          for (let count = 0; !end.signal.aborted; count += 1) {
            void send({ symbol: name('ZTFLOW'), quantity: 1 + (count % 50) }).catch(() => {})
            await sleep(BETWEEN_SIGNALS_MS)
          }
        })()
        await eventually(async () => assert.ok((await flowed()).length > 3, 'orders flow'))
        const { body } = await send({
          symbol: name('ZTDUE'),
          executeMode: 'scheduled',
          scheduledProcessAt: inSeconds(4),
          timezone: 'UTC',
        })
        scheduled = body.signal.id
        const { status, body: answer } = await person.put(haltPath(), { level, reason: 'a test' })
        haltedAt = Date.now()
        assert.equal(status, 200, JSON.stringify(answer))
        await sleep(ON_ITS_WAY_MS + 1_500)
        end.abort()
        await flowing
      })

      it('stops signals that are on their way within a second of its acknowledgement', async () => {
        const arrivals = (await flowed()).map(({ created_at }) => Date.parse(created_at) - haltedAt)
        assert.ok(arrivals.filter((after) => after < 0).length > 3, 'orders flowed before')
        const late = arrivals.filter((after) => after > ON_ITS_WAY_MS)
        assert.deepEqual(late, [], 'orders came so many milliseconds after the halt')
      })

      it('binds a workflow that was waiting for its time', async () => {
        await assertHalted(scheduled, level)
      })

      if (level !== 'fullStop')
        it('lets an exit out all the same', async () => {
          await fill(name('ZTWORKS'), working)
          await assertOneEntryOneExit(service.stack, working, { within: 30_000 })
        })

      it(`the kill switch on the whole service at ${level} is still set when every process was killed and started again`, async () => {
        await killEverything()
        person = await service.stack.signIn()
        await assertRefused(await send({ symbol: name('ZTAFTER') }), level)
        await fill(name('ZTWAITS'), stopped)
        if (level === 'fullStop') {
          await sleep(3_000)
          assert.deepEqual(await exitsOf(stopped), [], 'the exit is kept back')
        } else await assertOneEntryOneExit(service.stack, stopped, { within: 30_000 })
      })

      it('lifted lets signals and exits that it kept back go', async () => {
        const { status, body } = await person.delete(haltPath())
        assert.equal(status, 200, JSON.stringify(body))
        for (const word of ['ZTWORKS', 'ZTWAITS']) await service.stack.venue.pin(name(word), 94)
        for (const id of [working, stopped])
          await assertOneEntryOneExit(service.stack, id, { within: 40_000 })
        const { body: after } = await send({ symbol: name('ZTFREE'), exitTriggerType: 'immediate' })
        await assertOneEntryOneExit(service.stack, after.signal.id)
      })
    })
})
