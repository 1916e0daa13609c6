import assert from 'node:assert/strict'
import { positionDifferences } from '#db/position/position-differences.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import type { Signal } from '#db/entities/index.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { chooseExitSize, findExitQuestion, readExitSizeFacts } from '#db/exit/exits.ts'
import { recordAccepted, recordExitTrouble } from '#db/signal/ledger.ts'
import { openFillLedger } from '#db/position/fills.ts'
import { recordProtectionChanged } from '#db/exit/protection-change.ts'
import { recordDifference } from '#db/position/position-acceptance.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { isTooLarge } from '#domain/position/symbol-state.ts'
import { orderReport } from '#test/support/factories.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAfter } from '#test/support/sample-signal.ts'
import { PositionCheck } from '#worker/feed/position-check.ts'
import { allDaySessions, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

describe('the exit of ten shares that a split has made a hundred', () => {
  let { desk, em, account, broker, owner } = {} as ActivityDesk
  let signal: Signal
  useDesk(async (opened) => {
    ;({ desk, em, account, broker, owner } = opened)
    broker.sessions = allDaySessions()
    signal = await desk.opened({ exitRule: exitAfter(0), exitStatus: 'scheduled' })
    await desk.lists({ quantity: '10', brokerOrderId: orderReport(signal).brokerOrderId })
    await openFillLedger(em, owner, [])
    await letPass(em, 60_000)
    broker.positions = [held('100', 'LONG')]
  })

  const size = (changes: object = {}) => desk.size(signal, { failures: 1, ...changes })
  const choose = (quantity: Decimal) =>
    chooseExitSize(
      em,
      { ...owner, signalId: signal.id, symbol: 'AAPL' },
      { quantity, shown: '100', limitPrice: null, stopPrice: null, by: 'ann@example.test' },
    )
  const isStopped = async (): Promise<void> => {
    const sized = await size()
    assert.ok('obstacle' in sized, JSON.stringify(sized))
    const { obstacle: detail, beyond } = sized
    await recordExitTrouble(em, signal.id, new Date().toISOString(), {
      kind: 'held',
      code: null,
      generation: 1,
      detail,
      ...(beyond && { beyond }),
      acknowledges: [],
    })
  }

  it('shares that the broker goes on not to show are gone once the comparison of the position has said so, and not by the number of looks', async () => {
    broker.positions = [held('4', 'LONG')]
    const check = new PositionCheck(em, account.id)
    const compared = async (seconds: number) => {
      await saveAccountSnapshot(em.fork(), owner, { ...broker.balances, positions: broker.positions })
      await check.look(seconds * 1_000)
    }
    const notifiedOf = async () => (await readExitSizeFacts(em, signal.id)).told
    await compared(0)
    await compared(59)
    assert.equal(await notifiedOf(), null)
    const first = await size({ failures: 7 })
    assert.deepEqual([first.quantity, first.coversQuantity], ['4', '4'])
    await compared(60)
    assert.deepEqual(await notifiedOf(), { shown: '4', executed: '10' })
    const told = await size({ generation: 2 })
    assert.deepEqual([told.quantity, told.coversQuantity], ['4', '10'])
    // The broker has lagged: what was told is no word of this position.
    broker.positions = [held('10', 'LONG')]
    await compared(75)
    assert.equal(await notifiedOf(), null)
  })

  it('stops, and its owner is asked', async () => {
    assert.equal(await findExitQuestion(em, account.userId, signal.id), null)
    await isStopped()
    assert.deepEqual(await findExitQuestion(em, account.userId, signal.id), { shown: '100', own: '10' })
  })

  it('sells all when that is chosen, with books that say what the broker says', async () => {
    await isStopped()
    assert.equal(await choose('100'), true)
    const sized = await size()
    assert.deepEqual([sized.quantity, sized.coversQuantity], ['100', '10'])
    const { shares } = await readSymbolState(em, account.id, 'AAPL')
    assert.deepEqual([shares.quantity, shares.of(signal.id), shares.of(null)], ['100', '10', '90'])
    await saveAccountSnapshot(em.fork(), owner, { ...broker.balances, positions: broker.positions })
    assert.deepEqual(await positionDifferences(em, account.id), [])
    assert.deepEqual(await size(), sized)
    assert.equal((await readSymbolState(em, account.id, 'AAPL')).shares.quantity, '100')
  })

  it('the order of an exit whose size was chosen is not too large for the unowned shares that were booked with it', async () => {
    await isStopped()
    await choose('100')
    await size()
    const report = { ...orderReport(signal, { role: 'exit' }), quantity: '100' } as const
    const isTooLargeNow = async () => {
      const symbolState = await readSymbolState(em, account.id, 'AAPL')
      return symbolState.live.map((order) => isTooLarge(order, symbolState))
    }
    assert.deepEqual(await isTooLargeNow(), [false])
    await recordAccepted(em, report)
    assert.deepEqual(await isTooLargeNow(), [false])
    await desk.lists({ side: 'SELL', quantity: '1', orderFilled: '1' })
    assert.deepEqual(await isTooLargeNow(), [true])
  })

  it('prices of before a number of shares that their owner has accepted are so until the plan is changed; those of a later signal are none', async () => {
    const isOfBefore = async ({ id } = signal) => (await readExitSizeFacts(em, id)).isOfBefore
    const accept = (beyond: Decimal) =>
      em.transactional((inner) => recordDifference(inner, account.id, 'AAPL', beyond))
    await accept('0.034')
    assert.equal(await isOfBefore(), false, 'a dividend')
    await accept('-5')
    assert.equal(await isOfBefore(), true)
    assert.equal(await isOfBefore(await desk.accepted({ acceptedAt: new Date() })), false)
    const change = { stop: { price: '95' } } as const
    const at = new Date().toISOString()
    assert.ok(
      'protection' in (await recordProtectionChanged(em, { signalId: signal.id, at, by: 'ann', change })),
    )
    assert.equal(await isOfBefore(), false)
  })

  it('sells the chosen number, and notes that in its timeline', async () => {
    await isStopped()
    assert.equal((await readExitSizeFacts(em, signal.id)).isOfBefore, false)
    await choose('10')
    assert.equal((await readExitSizeFacts(em, signal.id)).isOfBefore, true)
    assert.equal((await size()).quantity, '10')
    const told = (await timelineOf(em, signal.id)).map(({ message }) => message)
    assert.ok(
      told.includes(
        'ann@example.test has chosen that the exit sells 10 of the 100 AAPL that the broker shows',
      ),
    )
  })

  it('the exit of ten shares that a split has made a hundred cannot be chosen any more once its order is at the broker', async () => {
    await recordAccepted(em, orderReport(signal, { role: 'exit' }))
    assert.equal(await choose('100'), false)
  })
})
