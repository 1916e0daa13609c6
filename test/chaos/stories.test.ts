import assert from 'node:assert/strict'
import { createActivities } from '#activities/index.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { recordAccepted } from '#db/signals/ledger.ts'
import { termsOf } from '#db/signals/terms.ts'
import { recordFills } from '#db/trades/fills.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill } from '#test/support/fills.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { storiesBehind } from './stories.ts'

describe('the stories behind violations', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  const storiesOf = (...messages: string[]) =>
    storiesBehind(
      { query: (sql) => em.execute(sql) },
      { violations: messages.map((message) => ({ invariant: 'I12', message })) },
    )

  it('the stories behind violations are none without a violation', async () => {
    assert.equal(await storiesOf(), '')
  })

  it('tell of the whole symbol which shares each close took, from what each exit was sized, and when fills were known', async () => {
    const account = await createAccount(em)
    const broker = new ScriptedBroker()
    broker.positions = [held('10', 'LONG')]
    broker.sessions = [-1, 0, 1].map((days) => {
      const date = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const opensAt = `${date}T00:00:00.000Z`
      return { date, opensAt, closesAt: new Date(Date.parse(opensAt) + 86_400_000).toISOString() }
    })
    const { prepareEntry, sizeExit } = createActivities({
      em,
      secretKeys,
      connectBroker: () => broker,
      requestTimeoutMs: 4_000,
      liveTrading: true,
      now: () => Date.now() + 60_000,
    })
    const accountId = account.id
    const opened = await createSignal(em, { accountId, exitRule: exitAtOnce, exitStatus: 'waiting' })
    const bought = withFill(orderReport(opened), '10')
    await recordAccepted(em, accountId, bought)
    const { brokerOrderId } = bought
    const fills = [aFill({ brokerOrderId, quantity: '10' })]
    await recordFills(em, { accountId, userId: account.userId }, { fills, fees: [], until: null })
    const close = await createSignal(em, { accountId, action: 'closeLong', quantity: '4' })
    await prepareEntry(termsOf(close))
    const sale = { side: 'SELL', quantity: '4' } as const
    await recordAccepted(em, accountId, withFill(orderReport(close, sale), '4'))
    broker.positions = [held('6', 'LONG')]
    const { id: signalId } = opened
    const asked = { signalId, generation: 1, accountId, symbol: 'AAPL', side: 'SELL' } as const
    const sized = await sizeExit({
      ...asked,
      filledQuantity: '10',
      rule: exitAtOnce,
      coveredQuantity: '0',
      failures: 0,
    })
    assert.equal(sized.quantity, '6')

    const stories = (await storiesOf(`signal ${signalId} is told of`)).split('\n')
    const line = (pattern: RegExp) =>
      assert.ok(
        stories.some((told) => pattern.test(told)),
        stories.join('\n'),
      )
    line(
      new RegExp(
        `^order AAPL ${close.id}-e1 SELL .* takes \\[\\{"owner": "${signalId}", "quantity": "4"\\}\\]$`,
      ),
    )
    line(
      new RegExp(
        `^size AAPL ${signalId}-x1 6 covers 10 from .*held by the fills LONG 6 of ${signalId}; shown by the broker LONG 6 \\(6 free\\)`,
      ),
    )
    line(new RegExp(`^fill AAPL .* BUY 10\\S* making 10\\S* of ${signalId}-e1 recorded `))
  })
})
