import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { positionDifferences } from '#db/position/position-differences.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { isAlertOpen, raiseAlert, resolveAlert } from '#db/alert/alerts.ts'
import { openFillLedger, recordFills } from '#db/position/fills.ts'
import { acceptPosition } from '#db/position/position-acceptance.ts'
import { positionDiffers } from '#domain/alert/alert.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { createAccount } from '#test/support/factories.ts'
import { aFill, tradesIn } from '#test/support/fills.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'

describe('a position that is accepted as its broker shows it', () => {
  let em: EntityManager
  let account: Account
  useDatabase((database) => {
    em = database.em
  })
  beforeEach(async () => {
    account = await createAccount(em)
    await openFillLedger(em, owner(), [])
  })

  const owner = () => ({ accountId: account.id, userId: account.userId })
  const executed = (quantity: Decimal, price: Decimal) =>
    recordFills(em, owner(), { fills: [aFill({ quantity, price })], fees: [], until: null })
  const shows = (positions: ReturnType<typeof held>[]) =>
    saveAccountSnapshot(em.fork(), owner(), { ...new ScriptedBroker().balances, positions })
  const whole = () => ({ accountId: account.id, signalId: null })
  const isReported = async () => {
    for (const difference of await positionDifferences(em, account.id))
      await raiseAlert(em, { ...whole(), symbol: difference.symbol }, positionDiffers(difference))
  }
  const accept = () => acceptPosition(em, account.id, 'AAPL')

  for (const [what, fill, shown, trades] of [
    [
      'after a split: twice the shares cost what they did',
      '10',
      ['20', '50'],
      ['10 AAPL 0>', '10 AAPL 100>'],
    ],
    ['after a reverse split: the rest costs what all did', '10', ['1', '1000'], ['1 AAPL 100>']],
    ['after a transfer in: the shares cost what the broker says', null, ['5', '80'], ['5 AAPL 80>']],
  ] as const)
    it(`${what}, and both say the same`, async () => {
      if (fill !== null) await executed(fill, '100')
      await shows([{ ...held(shown[0], 'LONG'), avgCost: shown[1] }])
      await isReported()
      const accepted = await accept()
      assert.ok(typeof accepted === 'object')
      assert.deepEqual([accepted.shown, accepted.executed], [shown[0], fill ?? '0'])
      assert.deepEqual(await positionDifferences(em, account.id), [])
      const open = (await tradesIn(em, account.id)).filter((line) => line.startsWith('OPEN LONG'))
      assert.deepEqual(
        open.map((line) => line.slice('OPEN LONG '.length, line.indexOf('>') + 1)).toSorted(),
        trades,
      )
    })

  it('a position that is accepted as its broker shows it after a transfer out has no profit and no loss', async () => {
    await executed('10', '100')
    await shows([{ ...held('6', 'LONG'), avgCost: '100' }])
    await isReported()
    await accept()
    assert.deepEqual(await tradesIn(em, account.id), [
      'CLOSED LONG 4 AAPL 100>100 fees 0 pnl 0',
      'OPEN LONG 6 AAPL 100> fees 0 pnl ',
    ])
  })

  it('gives the shares beyond those of signals to none of them', async () => {
    await shows([{ ...held('5', 'LONG'), avgCost: '80' }])
    await isReported()
    await accept()
    const { shares } = await readSymbolState(em, account.id, 'AAPL')
    assert.equal(shares.of(null), '5')
  })

  it('a position that is accepted as its broker shows it is refused without an alert about it, twice, and with other figures than the alert has', async () => {
    await executed('10', '100')
    await shows([held('20', 'LONG')])
    assert.equal(await accept(), 'not_notified')
    await isReported()
    await shows([held('30', 'LONG')])
    assert.equal(await accept(), 'changed')
    await shows([held('20', 'LONG')])
    assert.equal(typeof (await accept()), 'object')
    assert.equal(await accept(), 'not_notified')
    assert.equal(await acceptPosition(em, randomUUID(), 'AAPL'), 'unknown_account')
  })

  it('a position that is accepted as its broker shows it is refused while the account cannot be compared with its broker, as when executions cannot be read', async () => {
    await executed('10', '100')
    await shows([held('20', 'LONG')])
    await isReported()
    await raiseAlert(em, whole(), { kind: 'comparison_failing', message: 'unreadable', data: {} })
    assert.equal(await accept(), 'unreadable')
    await resolveAlert(em, whole(), 'comparison_failing')
    assert.equal(typeof (await accept()), 'object')
    assert.ok(!(await isAlertOpen(em, whole(), 'position_differs')), 'the alert is over at once')
  })
})
