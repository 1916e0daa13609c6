import assert from 'node:assert/strict'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Account } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { openFillLedger, recordFills } from '#db/position/fills.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill } from '#test/support/fills.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { PositionCheck } from '#worker/feed/position-check.ts'

describe('comparing positions with executions', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  let account: Account
  let check: PositionCheck
  beforeEach(async () => {
    account = await createAccount(em)
    check = new PositionCheck(em, account.id, 0)
    const owner = { accountId: account.id, userId: account.userId }
    const signal = await createSignal(em, { accountId: account.id })
    const report = withFill(orderReport(signal), '10')
    await recordAccepted(em, report)
    const fills = [aFill({ quantity: '10', brokerOrderId: report.brokerOrderId })]
    await recordFills(em, owner, { fills, fees: [], until: null })
    await openFillLedger(em, owner, [])
  })
  const shown = async (quantity: Decimal | null, others: ReturnType<typeof held>[] = []) =>
    saveAccountSnapshot(
      em.fork(),
      { accountId: account.id, userId: account.userId },
      {
        ...new ScriptedBroker().balances,
        positions: [...(quantity === null ? [] : [held(quantity, 'LONG')]), ...others],
      },
    )
  const alerts = async () =>
    (await em.fork().find(Alert, { accountId: account.id, resolvedAt: null })).map(({ kind }) => kind)

  it('says nothing while both agree, and of a difference that has ended within a minute', async () => {
    await shown('10')
    await check.look(0)
    await shown(null)
    await check.look(1_000)
    await check.look(60_999)
    await shown('10')
    await check.look(61_000)
    await shown('20')
    await check.look(62_000)
    assert.deepEqual(await alerts(), [])
  })

  it('alerts the owner to one that lasts, as after a split, until both agree', async () => {
    await shown('20')
    await check.look(0)
    await check.look(60_000)
    await check.look(70_000)
    assert.deepEqual(await alerts(), ['position_differs'])
    const [alert] = await em.fork().find(Alert, { accountId: account.id })
    assert.match(alert!.message, /20 AAPL where 10 were executed/)
    await shown('10')
    // Another worker follows the account by now.
    await new PositionCheck(em, account.id, 0).look(80_000)
    assert.deepEqual(await alerts(), [])
  })

  it('says nothing of coins, dividends in shares and transfers of symbols that no signal or order of ours touches', async () => {
    await shown('10', [{ ...held('0.034', 'LONG'), symbol: 'BTCUSD' }])
    await check.look(0)
    await check.look(120_000)
    assert.deepEqual(await alerts(), [])
  })

  it('reports each symbol by an alert of its own, so that a lasting difference hides no other', async () => {
    const other = await createSignal(em, { accountId: account.id, symbol: 'NVDA', exitStatus: 'waiting' })
    await shown('11')
    await check.look(0)
    await check.look(60_000)
    await shown('11', [{ ...held('100', 'LONG'), symbol: 'NVDA' }])
    await check.look(61_000)
    await check.look(121_000)
    const told = await em.fork().find(Alert, { accountId: account.id, resolvedAt: null })
    assert.deepEqual(new Set(told.map(({ symbol }) => symbol)), new Set(['AAPL', 'NVDA']))
    await shown('11')
    await check.look(122_000)
    assert.deepEqual(await alerts(), ['position_differs'])
    assert.equal(other.symbol, 'NVDA')
  })

  it('stays one alert while a difference comes and goes within the quiet time', async () => {
    check = new PositionCheck(em, account.id, 600_000)
    for (const minute of [0, 2, 4]) {
      await shown('20')
      await check.look(minute * 60_000)
      await check.look((minute + 1) * 60_000)
      await shown('10')
      await check.look((minute + 1) * 60_000 + 1_000)
    }
    assert.deepEqual(await alerts(), ['position_differs'])
    assert.equal(await em.fork().count(Alert, { accountId: account.id }), 1)
  })

  it('says nothing of an account whose executions have not been read to the end', async () => {
    const fresh = await createAccount(em)
    const other = new PositionCheck(em, fresh.id)
    const owner = { accountId: fresh.id, userId: fresh.userId }
    await saveAccountSnapshot(em.fork(), owner, {
      ...new ScriptedBroker().balances,
      positions: [held('10', 'LONG')],
    })
    await other.look(0)
    await other.look(120_000)
    assert.deepEqual(await em.fork().find(Alert, { accountId: fresh.id }), [])
  })
})
