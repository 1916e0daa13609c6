import assert from 'node:assert/strict'
import type { Signal } from '#db/entities/index.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { orderReport } from '#test/support/factories.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { allDaySessions, filledNow, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

for (const seconds of [20, -20])
  describe(`a worker whose clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'}`, function () {
    this.timeout(60_000)
    let { em, account, broker, activities, accepted, opened, prepare, placed, size } = {} as ActivityDesk
    useDesk(
      (desk) => {
        ;({ em, account, broker, activities, accepted, opened, prepare, placed, size } = desk)
        broker.sessions = allDaySessions()
      },
      () => ({ now: () => Date.now() + seconds * 1_000 }),
    )
    const isUnsettled = { type: 'OutcomeUnknown' }
    const close = (sourceId: string) => accepted({ action: 'closeLong', sourceId })
    const sizing = (signal: Signal) => size(signal, { failures: 1 })

    it(`a worker whose clock is ${Math.abs(seconds)} seconds ${seconds > 0 ? 'ahead' : 'behind'} does not close shares that are sold already, which only a late position shows`, async () => {
      await opened()
      const b = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      broker.positions = [held('20', 'LONG')]
      assert.equal((await sizing(b)).quantity, '10')
      const first = await close('first')
      assert.equal((await prepare(first)).outcome, 'ready')
      await recordAccepted(em, filledNow(orderReport(first, { side: 'SELL' })))
      const { shares } = await readSymbolState(em, account.id, 'AAPL')
      assert.deepEqual(shares.lots, [{ owner: b.id, quantity: '10' }])
      const second = await close('second')
      await assert.rejects(prepare(second), isUnsettled)
      await letPass(em, 15_000)
      // The broker goes on to show them: they are of somebody else.
      assert.equal((await prepare(second)).outcome, 'ready')
    })

    it('decides a close of a position that is shown in part 15 seconds after the fill, and not before', async () => {
      await opened()
      broker.positions = []
      const signal = await close('close')
      await assert.rejects(prepare(signal), isUnsettled)
      await letPass(em, 14_000)
      await assert.rejects(prepare(signal), isUnsettled)
      broker.positions = [held('4', 'LONG')]
      await assert.rejects(prepare(signal), isUnsettled)
      await letPass(em, 1_000)
      const decided = await prepare(signal)
      assert.equal(decided.outcome === 'ready' && decided.quantity, '4')
    })

    it('sizes no exit to a position that may be older than the newest fill', async () => {
      const signal = await opened({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      broker.positions = [held('4', 'LONG')]
      await assert.rejects(sizing(signal), isUnsettled)
      await letPass(em, 5_000)
      assert.equal((await sizing(signal)).quantity, '4')
    })

    it('denies a close whose shares orders in flight take after 15 seconds, and not before', async () => {
      await opened()
      broker.positions = [held('10', 'LONG')]
      await letPass(em, 60_000)
      const sale = await placed({ side: 'SELL', quantity: '10' })
      assert.equal((await activities.prepareEntry(sale)).outcome, 'ready')
      const second = await close('second')
      await assert.rejects(prepare(second), isUnsettled)
      await letPass(em, 15_000)
      const denied = await prepare(second)
      assert.equal(denied.outcome === 'denied' && denied.code, 'POSITION_HELD')
    })

    it('denies a sale by hand whose shares orders in flight take after 15 seconds, and not before', async () => {
      await opened()
      broker.positions = [held('10', 'LONG')]
      await letPass(em, 60_000)
      assert.equal((await prepare(await close('first'))).outcome, 'ready')
      const apiIsAhead = { acceptedAt: new Date(Date.now() + seconds * 1_000).toISOString() }
      const sale = await placed({ side: 'SELL', ...apiIsAhead })
      await assert.rejects(activities.prepareEntry(sale), isUnsettled)
      await letPass(em, 15_000)
      const denied = await activities.prepareEntry(sale)
      assert.equal(denied.outcome === 'denied' && denied.code, 'POSITION_HELD')
    })

    it('says of an order by hand that it is too old by the clock of the ledger', async () => {
      const in10Seconds = new Date(Date.now() + 10_000).toISOString()
      const inTime = await placed({ sendBefore: in10Seconds })
      assert.equal((await activities.prepareEntry(inTime)).outcome, 'ready')
      const ago10Seconds = new Date(Date.now() - 10_000).toISOString()
      const late = await activities.prepareEntry(await placed({ sendBefore: ago10Seconds }))
      assert.equal(late.outcome === 'denied' && late.code, 'STALE')
    })

    it('holds a sale by hand for a repetition for a minute after the position was closed', async () => {
      await opened()
      broker.positions = [held('10', 'LONG')]
      const first = await close('first')
      await prepare(first)
      const soldAgo = async (ago: number) => {
        await em.execute(
          `update orders set filled_at = now() - make_interval(secs => ?) where side = 'SELL'`,
          [ago],
          'run',
        )
        const decided = await activities.prepareEntry(await placed({ side: 'SELL' }))
        return decided.outcome === 'denied' ? decided.code : decided.outcome
      }
      await recordAccepted(em, filledNow(orderReport(first, { side: 'SELL' })))
      broker.positions = []
      assert.equal(await soldAgo(50), 'NO_POSITION_TO_CLOSE')
      assert.equal(await soldAgo(70), 'ready')
    })

    it('lets a signal be sent, or denies it, when the earlier ones have taken too long by the clock of the ledger', async () => {
      // Not sent yet, for all that the ledger knows.
      await accepted()
      const second = await accepted({ action: 'openShort', sourceId: 'behind' })
      const waiting = await prepare(second)
      assert.ok(waiting.outcome === 'not_yet', JSON.stringify(waiting))
      const shift = async (interval: string) =>
        em.execute(
          `update signals set sequencing_until = now() + ?::interval where id = ?`,
          [interval, second.id],
          'run',
        )
      await shift('10 seconds')
      assert.equal((await prepare(second)).outcome, 'not_yet')
      await shift('-10 seconds')
      const denied = await prepare(second)
      assert.equal(denied.outcome === 'denied' && denied.code, 'EARLIER_SIGNALS_UNFINISHED')
    })
  })
