import assert from 'node:assert/strict'
import type { Activities } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import { positionDifferences } from '#db/accounts/position-differences.ts'
import { saveAccountSnapshot } from '#db/accounts/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { readSymbolBook } from '#db/orders/symbol-book.ts'
import { chooseExitSize, findExitQuestion } from '#db/signals/chosen-size.ts'
import { recordAccepted, recordExitTrouble } from '#db/signals/ledger.ts'
import { openFillLedger, recordFills } from '#db/trades/fills.ts'
import type { Decimal } from '#domain/decimal.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill } from '#test/support/fills.ts'
import { timelineOf } from '#test/support/ledger.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'

describe('the exit of ten shares that a split has made a hundred', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let account: Account
  let broker: ScriptedBroker
  let activities: Activities
  let signal: Signal
  beforeEach(async () => {
    account = await createAccount(em)
    broker = new ScriptedBroker()
    broker.sessions = [-1, 0, 1].map((days) => {
      const date = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const opensAt = `${date}T00:00:00.000Z`
      return { date, opensAt, closesAt: new Date(Date.parse(opensAt) + 86_400_000).toISOString() }
    })
    const connectBroker = () => broker
    activities = createActivities({
      em,
      secretKeys,
      connectBroker,
      requestTimeoutMs: 4_000,
      liveTrading: true,
    })
    signal = await createSignal(em, { accountId: account.id, exitRule: exitAtOnce, exitStatus: 'scheduled' })
    const entry = withFill(orderReport(signal), '10')
    await recordAccepted(em, account.id, { ...entry, filledAt: new Date().toISOString() })
    const { brokerOrderId } = entry
    const fills = [
      aFill({ quantity: '10', brokerOrderId, at: new Date().toISOString().replace('Z', '000Z') }),
    ]
    await recordFills(em, owner(), { fills, fees: [], until: null })
    await openFillLedger(em, owner(), [])
    await letPass(em, 60_000)
    broker.positions = [held('100', 'LONG')]
  })

  const owner = () => ({ accountId: account.id, userId: account.userId })
  const size = (changes: object = {}) =>
    activities.sizeExit({
      signalId: signal.id,
      generation: 1,
      accountId: account.id,
      symbol: 'AAPL',
      side: 'SELL',
      filledQuantity: '10',
      rule: exitAtOnce,
      coveredQuantity: '0',
      failures: 1,
      ...changes,
    })
  const choose = (quantity: Decimal) =>
    chooseExitSize(
      em,
      { ...owner(), signalId: signal.id, symbol: 'AAPL' },
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
    const { shares } = await readSymbolBook(em, account.id, 'AAPL')
    assert.deepEqual([shares.quantity, shares.of(signal.id), shares.of(null)], ['100', '10', '90'])
    await saveAccountSnapshot(em.fork(), owner(), { ...broker.balances, positions: broker.positions })
    assert.deepEqual(await positionDifferences(em, account.id), [])
    assert.deepEqual(await size(), sized)
    assert.equal((await readSymbolBook(em, account.id, 'AAPL')).shares.quantity, '100')
  })

  it('sells the rest of what was chosen after an order that has sold a part', async () => {
    await isStopped()
    await choose('100')
    await size()
    const order = orderReport(signal, { role: 'exit', quantity: '100' })
    await recordAccepted(em, account.id, order)
    const partly = {
      ...withFill(order, '40'),
      status: 'EXPIRED' as const,
      filledAt: new Date().toISOString(),
    }
    await applyOrderReport(em, account.id, partly)
    broker.positions = [held('60', 'LONG')]
    await letPass(em, 60_000)
    const rest = await size({ generation: 2, filledQuantity: '60' })
    assert.deepEqual([rest.quantity, rest.coversQuantity], ['60', '60'])
    await recordAccepted(em, account.id, {
      ...withFill(orderReport(signal, { role: 'exit', quantity: '60', generation: 2 }), '60'),
      filledAt: new Date().toISOString(),
    })
    assert.equal((await readSymbolBook(em, account.id, 'AAPL')).shares.side, null)
  })

  it('sells as many as are chosen, and tells of that in its timeline', async () => {
    await isStopped()
    await choose('10')
    assert.equal((await size()).quantity, '10')
    const told = (await timelineOf(em, signal.id)).map(({ message }) => message)
    assert.ok(
      told.includes(
        'ann@example.test has chosen that the exit sells 10 of the 100 AAPL that the broker shows',
      ),
    )
  })

  it('goes on by itself when the purchase behind it is listed after all', async () => {
    await isStopped()
    const bought = {
      quantity: '90',
      brokerOrderId: 'in-the-app',
      at: new Date().toISOString().replace('Z', '000Z'),
    } as const
    await recordFills(em, owner(), { fills: [aFill(bought)], fees: [], until: null })
    assert.equal((await size()).quantity, '10')
  })

  it('the exit of ten shares that a split has made a hundred cannot be chosen any more once its order is at the broker', async () => {
    await recordAccepted(em, account.id, orderReport(signal, { role: 'exit' }))
    assert.equal(await choose('100'), false)
  })
})
