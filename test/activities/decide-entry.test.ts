import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { OrderAttempt, PreparedEntry } from '#activities/contract.ts'
import { Signal } from '#db/entities/index.ts'
import { readDecision } from '#db/order/decisions.ts'
import { recordProtectionChanged } from '#db/exit/protection-change.ts'
import { raiseHalt } from '#db/risk/halts.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Protection } from '#domain/exit/protection.ts'
import { ORDER_CAPS } from '#domain/risk/buying-power.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { statementsOf } from '#test/support/statements.ts'
import { allDaySessions, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

describe('an entry that is decided and passed at once', () => {
  let { em, account, broker, accepted, attempt, setLimits } = {} as ActivityDesk
  const caps = { ...ORDER_CAPS }
  useDesk(
    (desk) => {
      ;({ em, account, broker, accepted, attempt, setLimits } = desk)
      Object.assign(caps, ORDER_CAPS)
      broker.lastPrice = '150'
    },
    () => ({ orderCaps: caps }),
  )

  const stop = (percent: Decimal) => ({ stop: { percent }, target: null, trail: null, breakEven: null })
  const entryOf = (signal: Signal): string => clientOrderIdFor(signal.id, 'entry', 1)
  const isSent = (signal: Signal): boolean =>
    broker.submissions.some(({ clientOrderId }) => clientOrderId === entryOf(signal))
  const decisionOn = (signal: Signal): Promise<PreparedEntry | null> => readDecision(em, signal.id, 'entry')
  const permitted = async (signal: Signal): Promise<boolean> => {
    const rows = await em.execute<unknown[]>(
      'select from send_permits where client_order_id = ? and permits > 0',
      [entryOf(signal)],
    )
    return rows.length === 1
  }
  const outcomeOf = ({ submission }: OrderAttempt<PreparedEntry>) =>
    submission?.completed ? submission.result : null

  it('an entry that is decided and passed at once is decided and passed by the send gate in two messages after one look, and its price is asked for once', async () => {
    const signal = await accepted()
    const askedBefore = broker.requests.get('getLastPrice') ?? 0
    const submit = broker.submitOrder.bind(broker)
    let atSending: unknown
    const sent = await statementsOf(async () => {
      broker.submitOrder = async (request) => {
        atSending = [await decisionOn(signal), await permitted(signal)]
        return submit(request)
      }
      await attempt(signal)
    })
    const beforeSending = sent.findIndex(({ text }) => text.includes('select from send_permits'))
    assert.deepEqual(atSending, [{ outcome: 'ready', quantity: '10', advisories: [] }, true])
    // The facts, two of the transaction, and the look of this test at the decision; before them what the account is.
    assert.equal(beforeSending, 5, sent.map(({ text }) => text.slice(0, 60)).join('\n'))
    assert.equal((broker.requests.get('getLastPrice') ?? 0) - askedBefore, 1)
  })

  it('sends nothing under a halt that comes while the broker is asked', async () => {
    const signal = await accepted()
    broker.latency = async () => {
      broker.latency = () => {}
      await raiseHalt(
        em,
        { scope: 'account', userId: account.userId, accountId: account.id },
        { level: 'reduceOnly', reason: 'enough', by: 'test' },
      )
    }
    const { check } = await attempt(signal)
    assert.equal(check.completed && check.result.outcome, 'denied')
    assert.deepEqual([isSent(signal), await permitted(signal)], [false, false])
  })

  it('an entry that is decided and passed at once is held to a position limit that was set since, one after the other', async () => {
    await setLimits({ maxPositionShares: '25' })
    const signals = await Promise.all(
      Array.from({ length: 6 }, (_, number) => accepted({ symbol: 'SAME', sourceId: `at once ${number}` })),
    )
    // None can be decided before all have come to where they wait for one another.
    const deciding = await em.fork().transactional(async (inner) => {
      await inner.execute('select id from signals where symbol = ? for update', ['SAME'])
      const attempts = Promise.all(signals.map(attempt))
      await pause(500)
      return { attempts }
    })
    await deciding.attempts
    const decisions = await Promise.all(signals.map(decisionOn))
    assert.equal(decisions.filter((decision) => decision?.outcome === 'ready').length, 2)
  })

  it('an entry that is decided and passed at once is checked with what the broker has to be asked for by a limit that was set since', async () => {
    broker.sessions = allDaySessions()
    await setLimits({ marketHours: 'regular' })
    const { check } = await attempt(await accepted())
    assert.equal(check.completed && check.result.outcome, 'ready')
  })

  it('waits behind an earlier signal, and asks the broker for nothing when it looks again', async () => {
    await accepted({ symbol: 'QUEUE', action: 'closeLong' })
    const signal = await accepted({ symbol: 'QUEUE', action: 'openShort' })
    assert.equal((await attempt(signal)).check.completed, true)
    assert.equal(await decisionOn(signal), null)
    const asked = broker.requests.get('getLastPrice')
    await attempt(signal)
    assert.deepEqual([await decisionOn(signal), broker.requests.get('getLastPrice')], [null, asked])
  })

  it('an entry that is sized by risk is sized by its stop in the ledger, not by what its workflow knew', async () => {
    const signal = await accepted({
      quantityType: 'riskDollars',
      quantity: '100',
      orderType: 'limit',
      limitPrice: '100',
      protection: { ...stop('5'), until: 'closed' },
    })
    const at = new Date().toISOString()
    await recordProtectionChanged(em, { signalId: signal.id, at, by: 'ann', change: stop('10') })
    await attempt(signal)
    const decision = await decisionOn(signal)
    assert.equal(decision?.outcome === 'ready' && decision.quantity, '10')
  })

  it('an entry for a target keeps a change of its levels that comes while its order is worked out', async () => {
    const plan: Protection = { ...stop('5'), until: 'closed' }
    const target = { position: '5', exit: null, at: null, protection: plan } as const
    const signal = await accepted({ target, protection: plan })
    const at = new Date().toISOString()
    broker.latency = async () => {
      broker.latency = () => {}
      await recordProtectionChanged(em, { signalId: signal.id, at, by: 'ann', change: stop('10') })
    }
    await attempt(signal)
    const changed: Protection = { ...stop('10'), until: 'closed' }
    const { protection, target: known } = await em.fork().findOneOrFail(Signal, { id: signal.id })
    const decision = await decisionOn(signal)
    assert.ok(decision?.outcome === 'ready')
    const plans = [protection, known?.protection, decision.leg?.protection, decision.leg?.target.protection]
    assert.deepEqual(plans, [changed, changed, changed, changed])
  })

  it('an entry that is decided and passed at once beyond a cap is decided and not passed, and the account is halted', async () => {
    caps.perMinute = 1
    await attempt(await accepted({ symbol: 'FIRST' }))
    const signal = await accepted()
    const result = outcomeOf(await attempt(signal))
    assert.equal(result?.outcome === 'denied' && result.code, 'RUNAWAY_STOPPED')
    assert.deepEqual([(await decisionOn(signal))?.outcome, await permitted(signal)], ['ready', false])
    assert.equal(isSent(signal), false)
  })
})
