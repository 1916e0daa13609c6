import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Faults } from '#test/faults/fault-plan.ts'
import { faultyWorker } from '#test/faults/faulty-worker.ts'
import type { ApiAnswer } from '#test/support/api-client.ts'
import { eventually } from '#test/support/eventually.ts'
import { lettersOf } from '#test/support/letters.ts'
import type { Part } from '#test/support/part.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertOneEntryOneExit, buyNow, endOf, ordersAtVenue } from '#test/service/sent-signal.ts'

type Mode = 'crash' | 'throw' | 'hang'

/** Where the worker dies, in signals of which symbol. What other deaths of it lead to is in test/faults. */
const DEATHS = {
  ZTDOUBT: { point: 'after recordAccepted of the entry', mode: 'crash' },
  ZTDUE: { point: 'after recordAccepted of the entry', mode: 'crash' },
  ZTREFUSAL: { point: 'after recordNotPlaced', mode: 'crash' },
} as const

/** A process that dies, fails or hangs at a named place, on each side of each step that matters. */
describe('a process that stops in the middle', function () {
  this.timeout(90_000)
  const folder = mkdtempSync(join(tmpdir(), 'durable-trader-failpoints-'))
  const planFile = join(folder, 'plan.json')
  const service = useStack({ worker: faultyWorker(planFile, DEATHS) })
  let patient: ApiAnswer
  after(() => rmSync(folder, { recursive: true }))

  before(async () => {
    // Waits for its exit while every process around it is stopped again and again.
    const { stack } = service
    patient = await stack.api.post(
      '/signals',
      buyNow(stack, { symbol: 'ZTPATIENT', exitTriggerType: 'minutesAfterEntry', exitTriggerMinutes: 1 }),
    )
    assert.equal(patient.status, 201, JSON.stringify(patient.body))
  })

  /** Starts a part anew, so that it stops at the place given. */
  async function arm(part: Part, failpoint: string): Promise<void> {
    // Killed, because what hung in the case before would keep it from stopping in good order.
    await part.kill()
    await part.start({ FAILPOINT: failpoint })
  }

  /** The failpoint did strike; a test that passed without would show nothing. */
  async function struck(part: Part, name: string, mode: Mode): Promise<void> {
    await eventually(() => assert.ok(part.logTail(200_000).includes(`failpoint ${name}: ${mode}`)))
    if (mode === 'crash') assert.deepEqual(await part.ended, { code: null, signal: 'SIGKILL' })
  }

  const requestFor = (symbol: string) =>
    buyNow(service.stack, { symbol, sourceId: `source-${randomUUID()}`, exitTriggerType: 'immediate' })

  describe('the API', () => {
    const cases: {
      fault: string
      point: string
      mode: Mode
      sender: number | 'no answer'
      stored: boolean
    }[] = [
      { fault: 'F1', point: 'api.before_commit', mode: 'crash', sender: 'no answer', stored: false },
      { fault: 'F1', point: 'api.before_commit', mode: 'throw', sender: 500, stored: false },
      { fault: 'F1', point: 'api.before_commit', mode: 'hang', sender: 503, stored: false },
      { fault: 'F2', point: 'api.after_commit', mode: 'crash', sender: 'no answer', stored: true },
      { fault: 'F2', point: 'api.after_commit', mode: 'throw', sender: 500, stored: true },
      { fault: 'F2', point: 'api.after_commit', mode: 'hang', sender: 'no answer', stored: true },
      { fault: 'F3', point: 'api.after_start', mode: 'crash', sender: 'no answer', stored: true },
      { fault: 'F3', point: 'api.after_start', mode: 'throw', sender: 500, stored: true },
      { fault: 'F3', point: 'api.after_start', mode: 'hang', sender: 'no answer', stored: true },
    ]
    for (const [number, { fault, point, mode, sender, stored }] of cases.entries()) {
      const fate = stored ? 'carries out the signal and finds it again' : 'has nothing, and takes it'
      it(`${fault}: ${mode} at ${point} ${fate} when it is sent again`, async () => {
        const { stack } = service
        const symbol = `ZTAPI${lettersOf(number)}`
        const wish = requestFor(symbol)
        await arm(stack.parts.api, `${point}:${mode}`)
        const first = await stack.api.post('/signals', wish, 3_500).catch((error: unknown) => error as Error)
        assert.equal(first instanceof Error ? 'no answer' : first.status, sender)
        await struck(stack.parts.api, point, mode)
        const rows = () => stack.query<{ id: string }>(`select id from signals where symbol = '${symbol}'`)
        assert.equal((await rows()).length, stored ? 1 : 0)
        if (mode === 'crash') await stack.parts.api.start()
        if (stored) {
          // Nobody sends it again yet: what was committed is carried out by itself.
          const [{ id }] = (await rows()) as [{ id: string }]
          await eventually(async () => {
            const entries = ordersAtVenue(await stack.venue.ledger(), id, 'entry')
            assert.equal(entries.length, 1, 'the entry is at the venue')
          })
        }
        const second = await stack.api.post('/signals', wish)
        assert.equal(second.status, stored ? 200 : 201, JSON.stringify(second.body))
        await assertOneEntryOneExit(stack, second.body.signal.id)
        assert.equal((await rows()).length, 1)
        assert.equal((await stack.venue.ledger()).orders.filter((order) => order.symbol === symbol).length, 2)
      })
    }

    after(async () => {
      await service.stack.parts.api.kill()
      await service.stack.parts.api.start()
    })
  })

  describe('the API, with a message to a hook', () => {
    const cases = [
      { point: 'api.before_hook_stored', stored: false },
      { point: 'api.after_hook_stored', stored: true },
      { point: 'api.before_commit', stored: true },
      { point: 'api.after_commit', stored: true },
      { point: 'api.after_start', stored: true },
    ]
    let path: string
    before(async () => {
      const person = await service.stack.signIn()
      const accountIds = [service.stack.accountId]
      const exit = { exitTriggerType: 'immediate' }
      const { body } = await person.post('/hooks', { name: 'dies', kind: 'tradingview', accountIds, exit })
      path = new URL(body.data.url).pathname
    })

    for (const [number, { point, stored }] of cases.entries())
      it(`the API, with a message to a hook, that dies at ${point} carries it out once, ${stored ? 'by itself' : 'when it is sent again'}`, async () => {
        const { stack } = service
        const symbol = `ZTHOOK${lettersOf(number)}`
        const message = { ticker: symbol, action: 'buy', contracts: '10', timenow: '2026-03-02T15:00:00Z' }
        const send = () =>
          fetch(stack.addresses.api + path, {
            method: 'POST',
            body: JSON.stringify(message),
            signal: AbortSignal.timeout(10_000),
          })
        const rows = () => stack.query<{ id: string }>(`select id from signals where symbol = '${symbol}'`)
        await arm(stack.parts.api, `${point}:crash`)
        await assert.rejects(send())
        await struck(stack.parts.api, point, 'crash')
        await stack.parts.api.start()
        if (stored) await eventually(async () => assert.equal((await rows()).length, 1), { within: 20_000 })
        assert.equal((await send()).status, 200)
        const [{ id }, ...others] = (await rows()) as [{ id: string }, ...{ id: string }[]]
        assert.deepEqual(others, [])
        await assertOneEntryOneExit(stack, id, { within: 30_000 })
      })
  })

  describe('the worker that dies', () => {
    /** The worker has died where it was to, and is started again. */
    async function struck(symbol: string): Promise<void> {
      await eventually(() => assert.ok(Faults.struckIn(planFile).includes(symbol)))
      assert.deepEqual(await service.stack.parts.worker.ended, { code: null, signal: 'SIGKILL' })
    }

    it('F10: after an acceptance is recorded, and then a broker that does not answer, ends in one entry and one exit', async () => {
      const { stack } = service
      const { body } = await stack.api.post('/signals', requestFor('ZTDOUBT'))
      await struck('ZTDOUBT')
      // The next worker does not know what the ledger knows, and cannot find out at once.
      await stack.venue.script([
        { symbol: 'ZTDOUBT', on: 'submit', mode: '503', times: 1 },
        { symbol: 'ZTDOUBT', on: 'lookup', mode: '503', times: 2 },
      ])
      await stack.parts.worker.start()
      await assertOneEntryOneExit(stack, body.signal.id, { within: 40_000 })
      const faults = await stack.venue.activeFaults()
      await stack.venue.clearScript()
      assert.ok(
        faults.some(({ hit }) => hit > 0),
        'the broker did fail to answer',
      )
    })

    it('F24: after the entry of a scheduled signal is recorded does its time over, and ends in one entry and one exit', async () => {
      const { stack } = service
      const { status, body } = await stack.api.post('/signals', {
        ...requestFor('ZTDUE'),
        executeMode: 'scheduled',
        scheduledProcessAt: new Date(Date.now() + 1_500).toISOString().replace('Z', ''),
        timezone: 'UTC',
      })
      assert.equal(status, 202, JSON.stringify(body))
      await struck('ZTDUE')
      await stack.parts.worker.start()
      await assertOneEntryOneExit(stack, body.signal.id, { within: 40_000 })
    })

    it('F14: after a refusal is recorded, and then a broker that would take the order, ends refused, with no order', async () => {
      const { stack } = service
      const symbol = 'ZTREFUSAL'
      await stack.venue.pin(symbol, 100)
      // A resting order on the other side, with which a purchase would be a wash trade.
      const rest = { action: 'openShort', orderType: 'limit', limitPrice: 105, exitTriggerType: 'immediate' }
      const resting = await stack.api.post('/signals', buyNow(stack, { symbol, ...rest }))
      assert.equal(resting.status, 201, JSON.stringify(resting.body))
      const { status, body } = await stack.api.post('/signals', requestFor(symbol))
      assert.equal(status, 400, 'the sender is told that it is refused')
      const { signalId } = body.details[0]
      await struck(symbol)
      // The reason of the refusal passes while nobody works, and the next worker comes to the same step.
      await stack.venue.pin(symbol, 106)
      await stack.parts.worker.start()
      await assertOneEntryOneExit(stack, resting.body.signal.id, { within: 40_000 })
      assert.equal((await endOf(stack, signalId)).status, 'rejected')
      assert.deepEqual(ordersAtVenue(await stack.venue.ledger(), signalId), [])
    })
  })

  describe('an exit that waited meanwhile', () => {
    it('an exit that waited meanwhile is placed at its minute, not before', async () => {
      const { stack } = service
      const { id } = patient.body.signal
      await endOf(stack, id, { within: 80_000 })
      await assertOneEntryOneExit(stack, id)
      const [entry, exit] = ordersAtVenue(await stack.venue.ledger(), id)
      const minutes = (Date.parse(exit!.created_at) - Date.parse(entry!.filled_at!)) / 60_000
      assert.ok(minutes >= 1, `the exit came ${minutes} minutes after the entry`)
    })
  })
})
