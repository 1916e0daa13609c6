import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { PreparedEntry } from '#activities/contract.ts'
import { BrokerCredentialsError } from '#brokers/port.ts'
import { Alert, Signal } from '#db/entities/index.ts'
import { readDecision } from '#db/order/decisions.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { liftHalt, setHalt } from '#db/risk/halts.ts'
import { recordCancelled, recordDeclined, recordDue } from '#db/signal/decision-ledger.ts'
import { recordNotPlaced } from '#db/signal/ledger.ts'
import { termsOf } from '#db/signal/terms.ts'
import { MAX_POSITION_LAG_MS } from '#domain/time/broker-clock.ts'
import type { OrderReport } from '#domain/order/order.ts'
import type { TokenBounds } from '#domain/risk/token-bounds.ts'
import { ordersOf, timelineOf } from '#test/support/ledger.ts'
import { createSignal, createStrategy, orderReport } from '#test/support/factories.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { codeOf, filledNow, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

/** As after the ledger was restored to a time before the order was decided: it is out, and the ledger has no decision. */
describe('an entry whose order was sent, and whose decision the ledger lacks,', () => {
  let { desk, em, account, broker, activities, prepare, setLimits } = {} as ActivityDesk
  useDesk((opened) => ({ desk, em, account, broker, activities, prepare, setLimits } = opened))
  afterEach(() => liftHalt(em, { scope: 'global' }, 'operator'))

  const accepted = (fields: Partial<Signal> = {}): Promise<Signal> =>
    desk.accepted({ exitRule: exitAtOnce, exitStatus: 'waiting', ...fields })
  const alertsOf = ({ id }: Signal) =>
    em.fork().find(Alert, { signalId: id, kind: 'order_changed_by_broker' })
  const storedSignal = ({ id }: Signal): Promise<Signal> => em.fork().findOneOrFail(Signal, { id })
  const decide = ({ id }: Signal, decisions: object) =>
    em.execute('update signals set decisions = ?::jsonb where id = ?', [JSON.stringify(decisions), id], 'run')
  const inLedger = async (report: OrderReport) => assert.ok(await applyOrderReport(em, account.id, report))

  /** Puts the order at the broker, as it was sent, and filled unless told otherwise. */
  function sent(signal: Signal, changes: Partial<OrderReport> = {}): OrderReport {
    const { orderType, limitPrice = null, stopPrice = null, timeInForce } = signal
    const side = signal.action === 'closeLong' ? ('SELL' as const) : ('BUY' as const)
    const order = orderReport(signal, {
      side,
      orderType,
      limitPrice,
      stopPrice,
      timeInForce,
      ...changes,
    })
    const report = changes.status === undefined ? filledNow(order) : order
    broker.put(report)
    return report
  }

  /** An attempt on a slow machine may decide and leave the rest to the next one. */
  async function attempted(
    signal: Signal,
    terms = termsOf(signal),
  ): Promise<{ outcome: string; decision: PreparedEntry | null }> {
    for (;;) {
      const { check, submission } = await activities.attemptEntry(terms)
      const decision = check.completed ? check.result : null
      if (decision?.outcome !== 'ready')
        return { outcome: decision === null ? 'undefined' : codeOf(decision), decision }
      if (submission !== null)
        return { outcome: submission.completed ? submission.result.outcome : 'in doubt', decision }
    }
  }

  /** What was asked for, as it was sent, and what has come since. */
  const CASES: Record<
    string,
    { asked?: Partial<Signal>; order?: Partial<OrderReport>; since?(signal: Signal): Promise<unknown> }
  > = {
    'of a percentage of the equity, which is another one now': {
      asked: { quantityType: 'percentEquity', quantity: '10' },
      order: { quantity: '98' },
    },
    'of an amount of dollars, at another price now': {
      asked: { quantityType: 'dollarAmount', quantity: '1000' },
      order: { quantity: '9' },
    },
    'that was approved with another quantity, and now is without': {
      asked: { status: 'queued', executeMode: 'pending' },
      order: { quantity: '5' },
    },
    'that was approved with another limit, and now is without': {
      asked: { status: 'queued', executeMode: 'pending', orderType: 'limit', limitPrice: '90' },
      order: { limitPrice: '95' },
    },
    'whose price has moved on since it was to be approved': {
      asked: {
        status: 'queued',
        executeMode: 'pending',
        decidedBy: 'ann',
        decidedAt: new Date('2026-03-02T15:00:01Z'),
      },
      async since(signal) {
        await decide(signal, { priceBeforeApproval: '80' })
        await setLimits({ maxApprovalDriftPercent: '5' })
      },
    },
    'that was scheduled': { asked: { status: 'queued', executeMode: 'scheduled' } },
    'whose own shares make the position too large': {
      async since() {
        await setLimits({ maxPositionShares: '15' })
        await em.execute(
          `insert into positions (id, user_id, account_id, symbol, side, quantity, avg_cost, current_price, market_value,
             unrealised_pnl, unrealised_pnl_percent) values (gen_random_uuid(), ?, ?, 'AAPL', 'LONG', 10, 100, 100, 1000, 0, 0)`,
          [account.userId, account.id],
          'run',
        )
      },
    },
    'larger than an order may be now': { since: () => setLimits({ maxOrderShares: '1' }) },
    'that a rule would hold for a person now': { since: () => setLimits({ approvalAboveValue: '0' }) },
    'under a halt': {
      since: () =>
        setHalt(em, { scope: 'global' }, { level: 'fullStop', reason: 'restored', by: 'operator' }),
    },
    'of a user in another mode now': {
      since: () => em.execute(`update users set trading_mode = 'LIVE' where id = ?`, [account.userId], 'run'),
    },
    'of a user who is disabled': {
      since: () => em.execute('update users set disabled_at = now() where id = ?', [account.userId], 'run'),
    },
    'of a strategy that is paused': {
      async since({ id }) {
        const strategy = await createStrategy(em, { userId: account.userId, status: 'paused' })
        await em.execute('update signals set strategy_id = ? where id = ?', [strategy.id, id], 'run')
      },
    },
    'of a token that is revoked': { since: ({ id }) => fromToken(id, { isRevoked: true }) },
    'beyond the bounds of its token': {
      since: ({ id }) => fromToken(id, { bounds: { maxOrderValue: '1' } }),
    },
    'behind an earlier signal of the symbol': {
      since: async ({ acceptedAt }) =>
        createSignal(em, {
          accountId: account.id,
          action: 'closeLong',
          acceptedAt: new Date(acceptedAt.getTime() - 1_000),
        }),
    },
  }

  async function fromToken(
    signalId: string,
    { isRevoked = false, bounds }: { isRevoked?: boolean; bounds?: TokenBounds },
  ): Promise<void> {
    await em.execute(`update users set plan = 'PRO' where id = ?`, [account.userId], 'run')
    const tokenId = await desk.mint(bounds && { bounds })
    if (isRevoked)
      await em.execute('update access_tokens set revoked_at = now() where id = ?', [tokenId], 'run')
    await em.execute('update signals set token_id = ? where id = ?', [tokenId, signalId], 'run')
  }

  for (const [name, { asked, order, since }] of Object.entries(CASES))
    it(`${name}: is adopted as it was sent, and sent no second time`, async () => {
      const signal = await accepted(asked)
      const report = sent(signal, order)
      await inLedger(report)
      await since?.(signal)
      const { outcome, decision } = await attempted(signal)
      assert.equal(outcome, 'accepted')
      assert.equal(decision?.outcome === 'ready' && decision.quantity, report.quantity)
      assert.deepEqual([broker.submissions, broker.accepted.size], [[], 1])
      assert.equal((await storedSignal(signal)).status, 'executed')
    })

  for (const [name, { asked, order, since }] of Object.entries(CASES)) {
    // It waits behind the other until the feed has taken its order up.
    if (name.startsWith('behind')) continue
    it(`${name}, and the feed has not received it yet: is adopted as its broker has it`, async () => {
      const signal = await accepted(asked)
      sent(signal, order)
      await since?.(signal)
      assert.equal((await attempted(signal, termsOf(await storedSignal(signal)))).outcome, 'accepted')
      assert.equal(broker.accepted.size, 1)
      const [entry] = await ordersOf(em, signal.id)
      assert.equal(Number(entry?.quantity), Number(order?.quantity ?? '10'))
    })
  }

  it('an entry whose order was sent, and whose decision the ledger lacks, is decided as ever where the order under its id is another one', async () => {
    for (const other of [{ symbol: 'MSFT' }, { side: 'SELL' }] as const) {
      const signal = await accepted({ sourceId: randomUUID() })
      broker.accepted.clear()
      const report = sent(signal, { ...other, status: 'OPEN', brokerOrderId: randomUUID() })
      assert.equal(await applyOrderReport(em, account.id, report), null)
      assert.equal((await attempted(signal)).outcome, 'conflict', JSON.stringify(other))
      const [alert] = await alertsOf(signal)
      assert.match(alert!.message, /another order under .*may work/)
      // The signal comes to nothing, and keeps its sourceId until that order has ended.
      await recordNotPlaced(em, signal.id, new Date().toISOString(), {
        outcome: 'not_placed',
        code: 'DUPLICATE_CLIENT_ORDER_ID',
        detail: 'another order has its id',
      })
      const repeat = { accountId: account.id, sourceId: signal.sourceId! }
      await assert.rejects(createSignal(em, repeat), /signals_source/)
      await applyOrderReport(em, account.id, { ...report, status: 'CANCELLED' })
      await createSignal(em, repeat)
    }
  })

  it('an entry whose order was sent, and whose decision the ledger lacks, is denied as ever where the order that its broker has under its id is another one', async () => {
    await setLimits({ maxOrderShares: '1' })
    for (const other of [{ symbol: 'MSFT' }, { side: 'SELL' }] as const) {
      const signal = await accepted()
      sent(signal, { ...other, status: 'OPEN' })
      assert.equal((await attempted(signal)).outcome, 'ORDER_TOO_LARGE', JSON.stringify(other))
    }
  })

  it('an entry whose order was sent, and whose decision the ledger lacks, is adopted as it was sent by a worker that knows the limits of its account and is quick therefore', async () => {
    assert.equal((await attempted(await accepted({ symbol: 'FIRST' }))).outcome, 'accepted')
    const signal = await accepted({ quantityType: 'dollarAmount', quantity: '1000' })
    const report = sent(signal, { quantity: '9' })
    await inLedger(report)
    const { outcome, decision } = await attempted(signal)
    assert.equal(outcome, 'accepted')
    assert.equal(decision?.outcome === 'ready' && decision.quantity, '9')
  })

  describe('which its broker has changed while the answer was lost', () => {
    const changes: Record<string, [changes: Partial<OrderReport>, isAlerted: boolean, words: RegExp]> = {
      'into another type': [
        { orderType: 'stopLimit', limitPrice: '107.63' },
        true,
        /type stopLimit where stop was sent/,
      ],
      'in its stop': [{ stopPrice: '104' }, true, /stop 104 where 105 was sent/],
      'in its quantity': [{ quantity: '8' }, true, /quantity 8 where 10 was sent/],
      'in its time in force': [{ timeInForce: 'day' }, false, /time in force day where gtc was sent/],
    }
    for (const [name, [changed, isAlerted, words]] of Object.entries(changes))
      it(`${name} is taken over, and reported in the timeline, as an advisory and where money depends on it by an alert`, async () => {
        const signal = await accepted({ orderType: 'stop', stopPrice: '105', timeInForce: 'gtc' })
        broker.script.push('acceptThenUnknown')
        assert.equal((await attempted(signal)).outcome, 'in doubt')
        const clientOrderId = `${signal.id}-e1`
        const kept = broker.accepted.get(clientOrderId)!.report
        broker.put({ ...kept, ...changed })
        const request = broker.submissions[0]!
        const again = () =>
          activities.submitOrder({
            accountId: account.id,
            request,
            unknownSince: new Date().toISOString(),
            sendBefore: null,
          })
        const result = await again()
        await again()
        assert.ok(result.outcome === 'accepted')
        await activities.recordAccepted({
          report: result.report,
          advisories: [],
          acknowledges: [],
        })
        const stored = await storedSignal(signal)
        assert.deepEqual(
          [stored.status, stored.orderType, stored.advisories.map(({ code }) => code)],
          ['executed', 'stop', ['order_changed_by_broker']],
        )
        assert.match(stored.advisories[0]!.message, words)
        const told = (await timelineOf(em, signal.id)).filter(
          ({ kind }) => kind === 'order_changed_by_broker',
        )
        assert.equal(told.length, 1)
        assert.deepEqual(
          (await alertsOf(signal)).map(({ kind }) => kind),
          isAlerted ? ['order_changed_by_broker'] : [],
        )
        const [order] = await ordersOf(em, signal.id)
        assert.deepEqual(
          [order!.orderType, order!.timeInForce],
          [changed.orderType ?? 'stop', changed.timeInForce ?? 'gtc'],
        )
        assert.equal(broker.submissions.length, 1)
      })
  })

  it('notifies its owner where the order is another one than the signal asks for, and the signal shows the one that was sent', async () => {
    const signal = await accepted({ orderType: 'limit', limitPrice: '90', timeInForce: 'gtc' })
    await inLedger(sent(signal, { quantity: '5', limitPrice: '95', status: 'OPEN' }))
    const { decision } = await attempted(signal)
    const message = 'Its order was sent before, for 5 shares at a limit of 95: it is adopted as it is'
    const advisories = [{ code: 'sent_before', message }]
    const sentAt = decision?.outcome === 'ready' && decision.sentAt
    assert.ok(sentAt)
    assert.deepEqual(decision, { outcome: 'ready', quantity: '5', limitPrice: '95', sentAt, advisories })
    const stored = await storedSignal(signal)
    assert.deepEqual(stored.advisories, advisories)
    assert.deepEqual([Number(stored.quantity), Number(stored.limitPrice)], [5, 95])
  })

  it('an entry whose order was sent, and whose decision the ledger lacks, is decided once, with anything the order does while it is asked again', async () => {
    const signal = await accepted()
    const report = sent(signal, { quantity: '5' })
    await inLedger(report)
    await prepare(signal)
    broker.put({ ...report, quantity: '7' })
    const decision = await prepare(signal)
    assert.equal(decision.outcome === 'ready' && decision.quantity, '5')
  })

  it('an entry whose order was sent, and whose decision the ledger lacks, is not decided by an attempt while the keys are refused and the ledger has no order: it is denied', async () => {
    const signal = await accepted()
    await em.execute('update users set disabled_at = now() where id = ?', [account.userId], 'run')
    broker.latency = () => {
      throw new BrokerCredentialsError('the keys are refused')
    }
    assert.equal((await prepare(signal)).outcome, 'denied')
  })

  it('an entry whose order was sent, and whose decision the ledger lacks, is not denied while its broker cannot say whether it has the order', async () => {
    const signal = await accepted()
    sent(signal)
    await setLimits({ maxOrderShares: '1' })
    broker.lookups.push('unknown')
    const { check } = await activities.attemptEntry(termsOf(signal))
    assert.equal(check.completed, false)
    assert.equal((await attempted(signal)).outcome, 'accepted')
  })

  describe('of a signal that closes a position,', () => {
    /** What two signals have bought, the older one first. */
    async function holders(): Promise<[Signal, Signal]> {
      const open = () => desk.opened({ sourceId: randomUUID() })
      const both: [Signal, Signal] = [await open(), await open()]
      broker.positions = [held('20', 'LONG', { availableQuantity: '16' })]
      return both
    }
    const close = (fields: Partial<Signal> = {}) =>
      createSignal(em, { accountId: account.id, action: 'closeLong', sourceId: 'close', ...fields })
    const symbolState = () => readSymbolState(em, account.id, 'AAPL')

    it('takes the shares that it was sent for, so that no exit takes them too', async () => {
      const [older] = await holders()
      const signal = await close({ orderType: 'limit', limitPrice: '140', timeInForce: 'gtc' })
      await inLedger(sent(signal, { quantity: '4', status: 'OPEN' }))
      assert.deepEqual(
        (await symbolState()).live.map(({ reservedLots }) => reservedLots),
        [[]],
      )
      assert.equal((await attempted(signal)).outcome, 'accepted')
      const reservedLots = [{ owner: older.id, quantity: '4' }]
      assert.deepEqual(
        (await symbolState()).live.map((order) => order.reservedLots),
        [reservedLots],
      )
    })

    it('takes no shares that another close is to take', async () => {
      const [older, younger] = await holders()
      for (const quantity of ['4', '10'] as const) {
        const resting = { orderType: 'limit', limitPrice: '140', timeInForce: 'gtc' } as const
        const signal = await close({ ...resting, sourceId: quantity })
        await inLedger(sent(signal, { quantity, status: 'OPEN' }))
        assert.equal((await attempted(signal)).outcome, 'accepted')
      }
      const taken = (await symbolState()).live.flatMap(({ reservedLots }) => reservedLots)
      assert.deepEqual(taken, [
        { owner: older.id, quantity: '4' },
        { owner: older.id, quantity: '6' },
        { owner: younger.id, quantity: '4' },
      ])
    })

    it('takes of what it has filled in part the rest', async () => {
      const [older, younger] = await holders()
      const signal = await close({ orderType: 'limit', limitPrice: '140', timeInForce: 'gtc' })
      const order = sent(signal, { quantity: '14', status: 'OPEN' })
      const part = filledNow(order, '12')
      broker.put(part)
      await inLedger(part)
      assert.equal((await attempted(signal)).outcome, 'accepted')
      const { live, shares } = await symbolState()
      assert.deepEqual(
        live.map(({ reservedLots }) => reservedLots),
        [[{ owner: younger.id, quantity: '2' }]],
      )
      assert.deepEqual([shares.of(older.id), shares.of(younger.id)], ['0', '8'])
    })

    it('an entry whose order was sent, and whose decision the ledger lacks, of a signal that closes a position, and has closed all: is executed, not denied because nothing is left to close', async () => {
      await holders()
      for (const isKnown of [true, false]) {
        const signal = await close({ sourceId: `close-${isKnown}` })
        broker.accepted.clear()
        const report = sent(signal, { quantity: '20', brokerOrderId: randomUUID() })
        if (isKnown) await inLedger(report)
        broker.positions = []
        assert.equal((await attempted(signal)).outcome, 'accepted')
      }
    })
  })

  for (const knows of ['ledger', 'broker'] as const)
    it(`an entry whose order was sent, and whose decision the ledger lacks, of a target is adopted on the side on which it traded, where the ${knows} has it`, async () => {
      // Since then the broker's position is believed, and it is the target already.
      const updatedAt = new Date(Date.now() - MAX_POSITION_LAG_MS)
      const signal = await accepted({ target: { position: '5', exit: exitAtOnce, at: null }, updatedAt })
      const sold = sent(signal, { side: 'SELL', quantity: '5', status: 'FILLED', filledQuantity: '5' })
      broker.positions = [held('5', 'LONG')]
      if (knows === 'ledger') await inLedger(sold)
      const { outcome, decision } = await attempted(signal)
      assert.deepEqual([outcome, decision?.outcome], ['accepted', 'ready'])
      const { action, quantity, status, exitRule } = await storedSignal(signal)
      assert.deepEqual([action, quantity, status, exitRule], ['closeLong', '5.000000000', 'executed', null])
      assert.equal((await ordersOf(em, signal.id)).length, 1)
    })

  describe('and that is stopped:', () => {
    const AT = '2026-03-02T15:00:02.000Z'
    const STOPS: Record<string, (id: string) => Promise<unknown>> = {
      'is declined': (id) => recordDeclined(em, id, AT, { by: 'ann', reason: null }),
      expires: (id) => recordCancelled(em, id, AT, { reason: 'EXPIRED', detail: 'late' }),
      'is withdrawn': (id) => recordCancelled(em, id, AT, { reason: 'WITHDRAWN', detail: 'no' }),
    }
    for (const [name, stop] of Object.entries(STOPS))
      it(`one that ${name} is so too late, because its order was sent`, async () => {
        const signal = await accepted({ status: 'pending', executeMode: 'pending' })
        await inLedger(sent(signal))
        assert.equal(await stop(signal.id), 'too_late')
        assert.equal((await attempted(signal)).outcome, 'accepted')
        assert.equal((await storedSignal(signal)).status, 'executed')
      })

    it('one that is held for a person by a decision of before goes on with its order', async () => {
      const signal = await accepted({ status: 'pending' })
      await decide(signal, { entry: { outcome: 'held', detail: 'large' } })
      await inLedger(sent(signal, { quantity: '5' }))
      assert.equal(
        await recordCancelled(em, signal.id, AT, { reason: 'EXPIRED', detail: 'late' }),
        'too_late',
      )
      assert.equal((await attempted(signal)).outcome, 'accepted')
      const decision = await readDecision<PreparedEntry>(em, signal.id, 'entry')
      assert.equal(decision?.outcome === 'ready' && decision.quantity, '5')
    })
  })

  describe('that is approved with edits,', () => {
    const approve = (signal: Signal) =>
      recordDue(em, signal.id, '2026-03-02T15:00:02.000Z', {
        by: 'ann',
        quantity: '7',
        limitPrice: '91',
        sendBefore: null,
      })
    const approval = async ({ id }: Signal) => {
      const [entry] = await em.execute<{ message: string; data: object }[]>(
        `select message, data from signal_events where signal_id = ? and key like 'approved-%'`,
        [id],
      )
      return entry
    }
    const pending = () =>
      accepted({ status: 'pending', executeMode: 'pending', orderType: 'limit', limitPrice: '90' })

    it('keeps them out of the record, whose timeline says that they came too late', async () => {
      const signal = await pending()
      await inLedger(sent(signal, { quantity: '5' }))
      await approve(signal)
      const stored = await storedSignal(signal)
      assert.deepEqual([stored.status, stored.decidedBy], ['queued', 'ann'])
      assert.deepEqual([Number(stored.quantity), Number(stored.limitPrice)], [10, 90])
      const entry = await approval(signal)
      assert.equal(
        entry?.message,
        'Approved by ann, with quantity 7 and limit price 91, which came too late: Its order was sent before, for 5 shares at a limit of 90: it is adopted as it is',
      )
      assert.deepEqual(entry.data, { by: 'ann', quantity: null, limitPrice: null, sendBefore: null })
    })

    it('an entry whose order was sent, and whose decision the ledger lacks, that is approved with edits, has them taken back where only its broker knew of the order', async () => {
      const signal = await pending()
      sent(signal, { quantity: '5' })
      await approve(signal)
      assert.equal(Number((await storedSignal(signal)).quantity), 7)
      const edited = termsOf(await storedSignal(signal))
      assert.equal((await attempted(signal, edited)).outcome, 'accepted')
      const stored = await storedSignal(signal)
      assert.deepEqual([Number(stored.quantity), Number(stored.limitPrice)], [5, 90])
      assert.deepEqual(
        stored.advisories.map(({ code }) => code),
        ['sent_before'],
      )
    })
  })
})
