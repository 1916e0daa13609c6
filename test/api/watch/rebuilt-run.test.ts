import assert from 'node:assert/strict'
import { createActivities } from '#activities/index.ts'
import { resumeStateOf } from '#api/watch/resume-state.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { Alert, type Account, type Signal } from '#db/entities/index.ts'
import { decideOnce } from '#db/orders/decisions.ts'
import { applyOrderReport } from '#db/orders/reports.ts'
import { recordAccepted, recordExitTrouble, recordNotPlaced } from '#db/signals/ledger.ts'
import { reopenSignal } from '#db/signals/reopening.ts'
import { termsOf } from '#db/signals/terms.ts'
import { readSignalRecord } from '#db/watch/unfinished-work.ts'
import type { Decimal } from '#domain/decimal.ts'
import type { OrderReport } from '#domain/order.ts'
import { ENTRY_SIDE, EXIT_SIDE } from '#domain/signal.ts'
import { loadBareWorkflow } from '#test/support/bare-signal-workflow.ts'
import { send } from '#test/support/bare-workflow.ts'
import { useDatabase } from '#test/support/database.ts'
import { ExitsInLedger, filledNow, takeProfit } from '#test/support/exits-in-ledger.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { signalIn } from '#test/support/ledger.ts'
import { letPass } from '#test/support/let-pass.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { WorkflowOnLedger } from '#test/support/workflow-on-ledger.ts'
import { reopenStateOf } from '#worker/feed/unplaced-fill.ts'

describe('the workflow of a signal, lost and started again from the ledger,', function () {
  this.timeout(60_000)
  let em: EntityManager
  let workflow: Awaited<ReturnType<typeof loadBareWorkflow>>
  useDatabase(async (database) => {
    em = database.em
    workflow = await loadBareWorkflow()
  })
  let account: Account
  let broker: ScriptedBroker
  let exits: ExitsInLedger
  let run: WorkflowOnLedger
  beforeEach(async () => {
    account = await createAccount(em)
    exits = new ExitsInLedger(em, account.id)
    broker = new ScriptedBroker()
    broker.sessions = [-1, 0, 1].map((days) => {
      const date = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
      const opensAt = `${date}T00:00:00.000Z`
      return { date, opensAt, closesAt: new Date(Date.parse(opensAt) + 86_400_000).toISOString() }
    })
    const connectBroker = () => broker
    run = new WorkflowOnLedger(
      workflow,
      createActivities({ em, secretKeys, connectBroker, requestTimeoutMs: 4_000 }),
    )
  })

  const at = () => new Date().toISOString()
  const holds = ({ action }: Signal, quantity: Decimal): void => {
    broker.positions = [held(quantity, action === 'openLong' ? 'LONG' : 'SHORT')]
  }
  /** Has it run from the ledger until it waits. */
  async function startsAgain({ id }: Signal): Promise<void> {
    await letPass(em, 60_000)
    const record = await readSignalRecord(em, id)
    assert.ok(record, 'it is to run')
    const resumeState = resumeStateOf(record, at())
    run.start({ terms: termsOf(record.signal), ...(resumeState && { resumeState }) })
    await run.work()
  }
  /** The feed reports an order, to the ledger and to the workflow. */
  async function reported(order: OrderReport): Promise<void> {
    await applyOrderReport(em, account.id, order)
    await send('orderChanged', order)
    await run.work()
  }
  const sent = () =>
    broker.submissions.map(({ clientOrderId, quantity }) => `${clientOrderId.slice(-2)} ${quantity}`)
  const alerts = async (): Promise<string[]> =>
    (await em.fork().find(Alert, { accountId: account.id, resolvedAt: null })).map(({ kind }) => kind)
  const exitStatus = async ({ id }: Signal) => (await signalIn(em, id)).exitStatus

  for (const action of ['openLong', 'openShort'] as const)
    it(`keeps the alert of an ${action} signal whose exit gave way to a close, and exits when that is called off`, async () => {
      const signal = await exits.opened({ action })
      const closing = await createSignal(em, {
        accountId: account.id,
        action: action === 'openLong' ? 'closeLong' : 'closeShort',
        quantity: '4',
        orderType: 'limit',
        limitPrice: action === 'openLong' ? '140' : '70',
        timeInForce: 'gtc',
      })
      const close = orderReport(closing, {
        side: ENTRY_SIDE[closing.action],
        quantity: '4',
        orderType: 'limit',
        limitPrice: closing.limitPrice!,
        timeInForce: 'gtc',
      })
      const exit = await exits.sent(signal, 1)
      await exits.isToGiveWay(exit, signal, close.clientOrderId)
      await exits.ended(exit, 'CANCELLED')
      await recordAccepted(em, account.id, close)
      await em.execute(`update orders set status = 'OPEN' where client_order_id = ?`, [close.clientOrderId])
      await recordExitTrouble(em, signal.id, at(), {
        generation: 2,
        kind: 'held',
        code: null,
        detail: 'a close is to close these shares',
        acknowledges: [exit],
      })
      holds(signal, '10')

      await startsAgain(signal)
      assert.deepEqual([run.outcome, sent(), await alerts()], [null, [], ['unprotected_position']])

      await applyOrderReport(em, account.id, { ...close, status: 'CANCELLED', endedAt: at() })
      await send('retryExit')
      await run.work()
      assert.deepEqual([sent(), await alerts()], [['x2 10'], []])
      assert.equal(broker.submissions[0]?.side, EXIT_SIDE[action])

      await reported(filledNow(exits.exitOrder(signal, 2)))
      assert.equal(run.outcome!.exitFilled, '10')
      assert.equal(await exitStatus(signal), 'filled')
    })

  it('tells its owner of a second exit that ends without a fill, after the first gave way', async () => {
    const signal = await exits.opened()
    await exits.gaveWay(signal, 1, '10', '4')
    const second = await exits.sent(signal, 2, '6')
    broker.put(second)
    holds(signal, '6')
    await startsAgain(signal)
    assert.deepEqual([run.outcome, await alerts()], [null, []])
    await reported({ ...second, status: 'CANCELLED', endedAt: at() })
    assert.deepEqual([sent(), await alerts()], [[], ['unprotected_position']])
    assert.equal(await exitStatus(signal), 'partially_filled')
  })

  it('follows the exit of a late fill that works under a number after a gap, and sends none beside it', async () => {
    const signal = await exits.opened({}, { quantity: '15', status: 'CANCELLED' })
    await exits.closes(signal, 1, 2, await exits.sent(signal, 1))
    await exits.reopens(signal, '15')
    const third = await exits.sent(signal, 3, '5')
    broker.put(third)
    holds(signal, '5')
    await startsAgain(signal)
    assert.deepEqual([run.outcome, sent()], [null, []])
    await reported(filledNow(third))
    assert.deepEqual([run.outcome!.exitFilled, sent()], ['15', []])
    assert.equal(await exitStatus(signal), 'filled')
  })

  it('sends the exit of a signal that was recorded as rejected and filled all the same', async () => {
    const signal = await createSignal(em, {
      accountId: account.id,
      exitRule: takeProfit,
      exitStatus: 'waiting',
    })
    await decideOnce(em, signal.id, 'entry', { outcome: 'ready', quantity: '10', advisories: [] })
    await recordNotPlaced(em, { signalId: signal.id }, at(), {
      outcome: 'rejected',
      code: 'INSUFFICIENT_FUNDS',
      detail: 'no',
    })
    const entry = filledNow(orderReport(signal))
    await applyOrderReport(em, account.id, entry)
    assert.ok(await reopenStateOf(em, signal.id, entry))
    assert.ok(await reopenSignal(em, signal.id, at(), 'the run that was lost'))
    holds(signal, '10')
    await startsAgain(signal)
    assert.deepEqual(sent(), ['x1 10'])
    await reported(filledNow(exits.exitOrder(signal, 1)))
    const { status, exitStatus: exit } = await signalIn(em, signal.id)
    assert.deepEqual([status, exit, await alerts()], ['rejected', 'filled', []])
  })
})
