import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { PreparedEntry } from '#activities/contract.ts'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import type { Signal } from '#db/entities/index.ts'
import { SignalAlreadyStopped } from '#db/order/decisions.ts'
import { archiveStrategy, changeStrategy } from '#db/signal/strategies.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import {
  createAccount,
  createSignal,
  createStrategy,
  createUser,
  orderReport,
} from '#test/support/factories.ts'
import { signalIn, timelineOf } from '#test/support/ledger.ts'
import { held } from '#test/support/sample-position.ts'
import { exitAfter, exitAtOnce, replacementBy } from '#test/support/sample-signal.ts'
import { allDaySessions, codeOf, shownOf, useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

const AT = '2026-03-02T15:00:02.000Z'

type Decided =
  Exclude<PreparedEntry, { outcome: 'not_yet' }> | { outcome: 'not_yet'; behind: readonly string[] }

describe('preparing an entry', () => {
  let { desk, em, account, broker, accepted } = {} as ActivityDesk
  useDesk((opened) => {
    ;({ desk, em, account, broker, accepted } = opened)
    broker.lastPrice = '150'
  })
  /** Without the instants that go with waiting for a turn. */
  async function prepare(signal: Signal): Promise<Decided> {
    const prepared = await desk.prepare(signal)
    if (prepared.outcome === 'not_yet') return { outcome: 'not_yet', behind: prepared.behind }
    if (prepared.outcome !== 'ready') return prepared
    const { outcome, quantity, advisories } = prepared
    return { outcome, quantity, advisories }
  }
  const ready = (quantity: Decimal): PreparedEntry => ({ outcome: 'ready', quantity, advisories: [] })

  describe('its size', () => {
    const whole = () => (broker.asset = { ...broker.asset!, fractionable: false })
    const dollars = (quantity: Decimal) => ({ quantityType: 'dollarAmount', quantity }) as const
    const percent = { quantityType: 'percentEquity', quantity: '5' } as const
    const holds = (side: 'LONG' | 'SHORT') => () => (broker.positions = [held('10', side)])
    const notOnMargin = () => {
      broker.balances = { ...broker.balances, nonMarginableBuyingPower: '300' }
      broker.asset = { ...broker.asset!, marginable: false, fractionable: false }
    }
    const equity = () => (broker.balances = { ...broker.balances, equity: '30000' })
    for (const [title, scene, asked, expected] of [
      ['fixed: as accepted, in canonical form', null, { quantity: '10.000' }, '10'],
      ['percent of equity: of the broker’s present figure, at the ask', equity, percent, '10'],
      [
        'of what is not bought on margin: cut to the buying power for that',
        notOnMargin,
        dollars('1000'),
        '1',
      ],
      ['a part below the least order of the broker', null, { quantity: '0.0000001' }, 'ORDER_TOO_SMALL'],
      [
        'dollars: at the limit price, for any last one',
        null,
        { ...dollars('1000'), orderType: 'limit', limitPrice: '125' },
        '8',
      ],
      ['dollars, of an asset that trades in whole shares: rounded down', whole, dollars('1000'), '6'],
      ['dollars that buy nothing', whole, dollars('100'), 'QUANTITY_ROUNDS_TO_ZERO'],
      [
        'a part of a share, of an asset that trades in whole ones',
        whole,
        { quantity: '0.5' },
        'INVALID_ORDER',
      ],
      [
        'a close of a short position as long',
        holds('SHORT'),
        { action: 'closeLong' },
        'NO_POSITION_TO_CLOSE',
      ],
      [
        'a close of a long position as short',
        holds('LONG'),
        { action: 'closeShort' },
        'NO_POSITION_TO_CLOSE',
      ],
    ] as [string, (() => unknown) | null, Partial<Signal>, string][])
      it(`the size of an entry, ${title}: ${expected}`, async () => {
        scene?.()
        assert.equal(shownOf(await desk.prepare(await accepted(asked))), expected)
      })

    it('all the equity of a cash account: at the ask, and cut to the buying power, with an advisory', async () => {
      broker.balances = { ...broker.balances, type: 'CASH', equity: '10000', buyingPower: '10000' }
      broker.quote = { bid: '149.98', ask: '150.02', quotedAt: new Date().toISOString() }
      const terms = { quantityType: 'percentEquity', quantity: '100', timeInForce: 'gtc' } as const
      const prepared = await prepare(await accepted({ ...terms, sourceId: 'first' }))
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '63')
      const part = await prepare(await accepted({ ...terms, timeInForce: 'day', sourceId: 'second' }))
      assert.ok(part.outcome === 'ready')
      assert.equal(part.quantity, '63.483599012')
      assert.deepEqual(
        part.advisories.map(({ code, message }) => [code, message]),
        [
          [
            'quantity_reduced_to_buying_power',
            '66.657778962 shares need $10,000, and the buying power is $10,000; 5 % of it is reserved for price moves; the order is for 63.483599012',
          ],
        ],
      )
    })

    it('closing more than is held: the held and free shares, with an advisory', async () => {
      broker.positions = [held('10', 'LONG', { availableQuantity: '4' })]
      const prepared = await prepare(await accepted({ action: 'closeLong' }))
      assert.ok(prepared.outcome === 'ready')
      assert.equal(prepared.quantity, '4')
      assert.deepEqual(
        prepared.advisories.map(({ code }) => code),
        ['quantity_reduced_to_position', 'position_held'],
      )
    })

    it('asks the broker only for figures that the size depends on', async () => {
      await prepare(await accepted({ orderType: 'limit', limitPrice: '150' }))
      assert.deepEqual(
        [broker.requests.get('getAccount'), broker.requests.get('getPosition')],
        [undefined, undefined],
      )
    })
  })

  describe('its exit, while an order of ours rests that it would meet,', () => {
    const rests = async (fields: Partial<Signal> & { side?: 'SELL_SHORT' } = {}): Promise<string> => {
      const { side, ...terms } = fields
      const other = await accepted({ orderType: 'limit', limitPrice: '60', timeInForce: 'gtc', ...terms })
      const report = orderReport(other, {
        orderType: 'limit',
        limitPrice: other.limitPrice!,
        timeInForce: 'gtc',
        ...(side && { side }),
      })
      await recordAccepted(em, { ...report, status: 'OPEN' })
      return report.clientOrderId
    }
    const advisoriesOf = async (fields: Partial<Signal>): Promise<{ code: string; message: string }[]> => {
      const prepared = await prepare(await accepted(fields))
      assert.ok(prepared.outcome === 'ready', JSON.stringify(prepared))
      return prepared.advisories
    }

    it('preparing an entry: its exit, while an order of ours rests that it would meet, is foreseen: the advisory names that order', async () => {
      const id = await rests()
      const [advisory, ...others] = await advisoriesOf({ exitRule: exitAtOnce })
      assert.deepEqual([advisory?.code, others], ['exit_meets_own_order', []])
      assert.ok(advisory!.message.includes(`BUY 10 AAPL limit 60 (${id})`), advisory!.message)
    })

    it('preparing an entry: that the stop of a plan takes it off is foreseen by each of three rungs, and by no order that fills at once', async () => {
      const protection = {
        stop: { price: '50' },
        target: null,
        trail: null,
        breakEven: null,
        until: 'closed',
      } as const
      await rests({
        protection: { ...protection, stop: { price: '250' } },
        limitPrice: '200',
        action: 'openShort',
        side: 'SELL_SHORT',
      })
      const first = await rests({ protection })
      const rung = { orderType: 'limit', limitPrice: '140', timeInForce: 'gtc' } as const
      const takenOff = `follows a fill of BUY 10 AAPL limit 60 (${first}). It is cancelled before that is placed`
      const told = async (fields: Partial<Signal>) =>
        (await advisoriesOf(fields))
          .filter(({ code }) => code === 'exit_meets_own_order')
          .map(({ message }) => [
            message.includes(takenOff) && !message.includes('SELL_SHORT'),
            message.includes('They are cancelled'),
          ])
      assert.deepEqual(await told({ ...rung }), [[true, false]])
      assert.deepEqual(await told({ ...rung, sourceId: 'with a stop', protection }), [
        [false, true],
        [true, false],
      ])
      assert.deepEqual(await told({ sourceId: 'at market' }), [])
      assert.deepEqual(await told({ ...rung, sourceId: 'elsewhere', symbol: 'MSFT' }), [])
    })

    it('preparing an entry: its exit, while an order of ours rests that it would meet, is not, where the two do not meet', async () => {
      await rests()
      const above = { ...exitAtOnce, orderType: 'limit', limitPrice: '170' } as const
      assert.deepEqual(await advisoriesOf({ sourceId: 'above', exitRule: above }), [])
      assert.deepEqual(await advisoriesOf({ sourceId: 'without an exit' }), [])
      assert.deepEqual(await advisoriesOf({ symbol: 'MSFT', exitRule: exitAtOnce }), [])
    })
  })

  describe('its first answer', () => {
    it('stays, though the broker answers otherwise by then', async () => {
      broker.positions = [held('10', 'LONG')]
      const signal = await accepted({ action: 'closeLong' })
      assert.deepEqual(await prepare(signal), ready('10'))
      broker.positions = []
      assert.deepEqual(await prepare(signal), ready('10'))
    })

    it('preparing an entry: its first answer is one for any number that ask at once', async () => {
      const signal = await accepted({ quantityType: 'dollarAmount', quantity: '1000' })
      let asked = 0
      broker.latency = () => {
        asked += 1
        broker.lastPrice = `${100 + asked}`
      }
      const answers = await Promise.all(Array.from({ length: 8 }, () => prepare(signal)))
      for (const answer of answers) assert.deepEqual(answer, answers[0])
    })

    it('preparing an entry: its first answer is not given while the broker cannot be reached, and nothing is kept', async () => {
      const signal = await accepted({ quantityType: 'percentEquity', quantity: '5' })
      broker.outage = new BrokerOutcomeUnknown('connection reset')
      await assert.rejects(prepare(signal), BrokerOutcomeUnknown)
      broker.outage = null
      assert.deepEqual(await prepare(signal), ready('33.333333333'))
    })

    it('preparing an entry: its first answer is a denial when the broker rejects the keys', async () => {
      broker.outage = new BrokerCredentialsError('the keys are not accepted')
      const prepared = await prepare(await accepted({ quantityType: 'percentEquity', quantity: '5' }))
      assert.equal(codeOf(prepared), 'BROKER_CREDENTIALS_INVALID')
    })
  })

  describe('changes since the signal was accepted', () => {
    it('the account is switched off: ACCOUNT_INACTIVE', async () => {
      desk.account = await createAccount(em, { isActive: false })
      assert.equal(codeOf(await prepare(await accepted())), 'ACCOUNT_INACTIVE')
    })

    for (const [tradingMode, isDemo] of [
      ['PAPER', false],
      ['LIVE', true],
    ] as const)
      it(`the mode is ${tradingMode} and the account is ${isDemo ? 'a demo' : 'a live'} one: MODE_MISMATCH`, async () => {
        const { id: userId } = await createUser(em, { tradingMode })
        desk.account = await createAccount(em, { userId, isDemo })
        assert.equal(codeOf(await prepare(await accepted())), 'MODE_MISMATCH')
      })

    it('a position is closed all the same, in every mode and without live trading', async () => {
      const { id: userId } = await createUser(em, { tradingMode: 'PAPER' })
      desk.account = await createAccount(em, { userId, isDemo: false })
      broker.positions = [held('10', 'LONG')]
      desk.activities = desk.activitiesWith()
      assert.deepEqual(await prepare(await accepted({ action: 'closeLong' })), ready('10'))
    })

    it('live trading was switched off on the server: MODE_MISMATCH for live accounts, and paper goes on', async () => {
      const paper = await prepare(await accepted())
      const { id: userId } = await createUser(em, { tradingMode: 'LIVE' })
      desk.account = await createAccount(em, { userId, isDemo: false })
      desk.activities = desk.activitiesWith()
      const prepared = await prepare(await accepted())
      assert.equal(codeOf(prepared), 'MODE_MISMATCH')
      assert.match(prepared.outcome === 'denied' ? prepared.detail : '', /LIVE_TRADING/)
      assert.deepEqual(paper, ready('10'))
    })

    for (const [executeMode, status] of [
      ['pending', 'pending'],
      ['scheduled', 'scheduled'],
      ['immediate', 'queued'],
    ] as const)
      it(`the strategy was paused while its ${executeMode} signal waited: STRATEGY_PAUSED, and ready if it is active again by then`, async () => {
        const { id: strategyId } = await createStrategy(em, { userId: account.userId })
        const waiting = await accepted({ strategyId, executeMode, status })
        const other = await accepted({ strategyId, executeMode, status, symbol: 'MSFT' })
        await changeStrategy(em.fork(), account.userId, strategyId, { status: 'paused' })
        assert.equal(codeOf(await prepare(waiting)), 'STRATEGY_PAUSED')
        await changeStrategy(em.fork(), account.userId, strategyId, { status: 'active' })
        assert.deepEqual(await prepare(other), ready('10'))
        // What was decided once stays decided.
        assert.equal(codeOf(await prepare(waiting)), 'STRATEGY_PAUSED')
      })

    it('the strategy was deleted while the signal was being accepted: STRATEGY_PAUSED', async () => {
      const { id: strategyId } = await createStrategy(em, { userId: account.userId })
      await archiveStrategy(em, account.userId, strategyId)
      assert.equal(codeOf(await prepare(await accepted({ strategyId }))), 'STRATEGY_PAUSED')
    })

    it('nothing of that: ready, in live mode too', async () => {
      const { id: userId } = await createUser(em, { tradingMode: 'LIVE' })
      desk.account = await createAccount(em, { userId, isDemo: false })
      assert.deepEqual(await prepare(await accepted()), ready('10'))
    })
  })

  describe('an earlier signal', () => {
    const ended = (signal: Signal): Promise<unknown> =>
      em.execute('update signals set entry_ended_at = now() where id = ?', [signal.id], 'run')
    const become = (signal: Signal, status: Signal['status']): Promise<unknown> =>
      em.execute('update signals set status = ? where id = ?', [status, signal.id], 'run')

    it('a reversal waits until the close has ended, however the close is ordered', async () => {
      const close = await accepted({
        action: 'closeLong',
        orderType: 'limit',
        limitPrice: '150',
        timeInForce: 'gtc',
      })
      const open = await accepted({ action: 'openShort' })
      const waits: Decided = { outcome: 'not_yet', behind: [close.id] }
      assert.deepEqual(await prepare(open), waits)
      await become(close, 'executed')
      assert.deepEqual(await prepare(open), waits)
      await ended(close)
      assert.deepEqual(await prepare(open), ready('10'))
    })

    it('a close waits until a resting open has been sent, and no longer', async () => {
      const open = await accepted({ orderType: 'limit', limitPrice: '150', timeInForce: 'gtc' })
      const close = await accepted({ action: 'closeLong' })
      broker.positions = [held('10', 'LONG')]
      for (const status of ['queued', 'transmitted'] as const) {
        await become(open, status)
        assert.equal((await prepare(close)).outcome, 'not_yet')
      }
      await become(open, 'executed')
      assert.deepEqual(await prepare(close), ready('10'))
    })

    it('a close waits until a market open has ended', async () => {
      const open = await accepted()
      const close = await accepted({ action: 'closeLong' })
      broker.positions = [held('10', 'LONG')]
      await become(open, 'executed')
      assert.equal((await prepare(close)).outcome, 'not_yet')
      await ended(open)
      assert.deepEqual(await prepare(close), ready('10'))
    })

    for (const status of ['pending', 'rejected', 'cancelled', 'error'] as const)
      it(`an earlier one that is ${status} delays no later signal`, async () => {
        await accepted({ action: 'closeLong', status })
        assert.deepEqual(await prepare(await accepted({ action: 'openShort' })), ready('10'))
      })

    it('an earlier one that is due delays a later signal, though its workflow has not woken', async () => {
      const close = await accepted({ action: 'closeLong', status: 'scheduled' })
      const open = await accepted({ action: 'openShort' })
      assert.deepEqual(await prepare(open), { outcome: 'not_yet', behind: [close.id] })
    })

    it('a later one, another symbol and another account delay no signal', async () => {
      const open = await accepted({ action: 'openShort' })
      await accepted({ action: 'closeLong' })
      assert.deepEqual(await prepare(open), ready('10'))
      await accepted({ action: 'closeLong', symbol: 'MSFT' })
      await createSignal(em, { action: 'closeLong' })
      const next = await accepted({ action: 'openShort', symbol: 'TSLA' })
      assert.deepEqual(await prepare(next), ready('10'))
    })

    it('preparing an entry: an earlier signal that is unsent is not kept as an answer; its owner learns the reason and the end of the wait', async () => {
      const close = await accepted({ action: 'closeLong' })
      const open = await accepted({ action: 'openShort' })
      const first = await desk.prepare(open)
      assert.ok(first.outcome === 'not_yet')
      const patience = Date.parse(first.until) - Date.now()
      assert.ok(patience > 290_000 && patience <= 300_000, `${patience} ms`)
      assert.deepEqual(await desk.prepare(open), first)
      const { advisories } = await signalIn(em, open.id)
      assert.deepEqual(
        advisories.map(({ code }) => code),
        ['waits_for_earlier_signals'],
      )
      assert.ok(advisories[0]!.message.includes(close.id) && advisories[0]!.message.includes(first.until))
      await ended(close)
      const { sequencedAt, sequencingUntil, ...decision } = (await desk.prepare(open)) as Extract<
        PreparedEntry,
        { outcome: 'ready' }
      >
      assert.deepEqual(decision, ready('10'))
      assert.equal(sequencingUntil, first.until)
      assert.ok(Date.now() - Date.parse(sequencedAt!) < 5_000)
    })

    const waitedEnough = (signal: Signal) =>
      em.execute(`update signals set sequencing_until = now() - interval '1 second' where id = ?`, [
        signal.id,
      ])

    it('preparing an entry: an earlier signal that is never sent ends the wait of a close, which takes the held shares: a lost order blocks no symbol for ever', async () => {
      await accepted({ status: 'executed' })
      broker.positions = [held('10', 'LONG')]
      const close = await accepted({ action: 'closeLong' })
      const first = await desk.prepare(close)
      assert.ok(first.outcome === 'not_yet' && Date.parse(first.until) <= Date.now() + 60_000)
      await waitedEnough(close)
      const second = await desk.prepare(close)
      assert.deepEqual([second.outcome, 'quantity' in second && second.quantity], ['ready', '10'])
    })

    it('preparing an entry: an earlier signal that is never sent denies an opening', async () => {
      await accepted({ action: 'closeLong', status: 'executed' })
      const open = await accepted({ action: 'openShort' })
      await desk.prepare(open)
      await waitedEnough(open)
      const second = await desk.prepare(open)
      assert.deepEqual(
        [second.outcome, 'code' in second && second.code],
        ['denied', 'EARLIER_SIGNALS_UNFINISHED'],
      )
    })

    it('preparing an entry: an earlier signal is waited for until its validUntil where it has one', async () => {
      const validUntil = new Date(Date.now() + 3_600_000)
      await accepted({ action: 'closeLong', status: 'executed' })
      const first = await desk.prepare(await accepted({ action: 'openShort', validUntil }))
      assert.ok(first.outcome === 'not_yet' && first.until === validUntil.toISOString())
    })
  })

  describe('and stopping it', () => {
    const withdraw = (signal: Signal) =>
      desk.activities.recordCancelled({
        signalId: signal.id,
        at: AT,
        reason: 'WITHDRAWN',
        detail: 'Withdrawn by bob',
      })
    const decline = (signal: Signal) =>
      desk.activities.recordDeclined({ signalId: signal.id, at: AT, by: 'bob', reason: null })
    const replace = (signal: Signal) =>
      desk.activities.recordReplaced({
        signalId: signal.id,
        at: AT,
        detail: 'Replaced',
        acknowledges: null,
        working: null,
        replacement: {
          row: { ...signal, id: randomUUID(), status: 'queued' },
          received: replacementBy('bob').replacement.received,
        },
      })

    const stops = { withdraw, decline, replace }
    for (const [name, stop] of Object.entries(stops)) {
      it(`${name} first: in the ledger, and the answer is its end, however often either is tried`, async () => {
        const signal = await accepted({ status: 'pending', sourceId: `source-${name}` })
        assert.equal(await stop(signal), 'stopped')
        const { status, statusReason, statusDetail } = await signalIn(em, signal.id)
        assert.equal(status, name === 'decline' ? 'rejected' : 'cancelled')
        const end = { outcome: 'ended', status, reason: statusReason, detail: statusDetail }
        assert.deepEqual(await prepare(signal), end)
        if (name !== 'replace') assert.equal(await stop(signal), 'stopped')
        assert.deepEqual(await prepare(signal), end)
      })

      it(`${name} after the answer: too late, and the ledger stays as it is`, async () => {
        const signal = await accepted({ status: 'pending', sourceId: `late-${name}` })
        assert.deepEqual(await prepare(signal), ready('10'))
        const before = await signalIn(em, signal.id)
        const told = await timelineOf(em, signal.id)
        assert.equal(await stop(signal), 'too_late')
        assert.deepEqual(await signalIn(em, signal.id), before)
        assert.deepEqual(await timelineOf(em, signal.id), told)
      })
    }

    it('preparing an entry and stopping it at once, thirty times: one of the two, never both', async () => {
      for (let round = 0; round < 30; round += 1) {
        const signal = await accepted({ symbol: `S${round}` })
        const [prepared, stopping] = await Promise.all([
          prepare(signal).catch((error: unknown) => {
            if (error instanceof SignalAlreadyStopped) return null
            throw error
          }),
          withdraw(signal),
        ])
        assert.equal(prepared === null || prepared.outcome === 'ended', stopping === 'stopped')
      }
    })

    it('an exit: cancelled before it is sized, or sized before it is cancelled', async () => {
      const sizing = (signal: Signal) => desk.size(signal, { rule: exitAfter(5) })
      const cancel = (signal: Signal) =>
        desk.activities.recordExitCancelled({ signalId: signal.id, at: AT, by: 'bob', generation: 1 })
      broker.sessions = allDaySessions()
      broker.positions = [held('10', 'LONG')]

      const first = await desk.opened({ exitRule: exitAfter(5) })
      assert.equal(await cancel(first), 'stopped')
      await assert.rejects(sizing(first), SignalAlreadyStopped)
      assert.equal(await cancel(first), 'stopped')
      assert.equal((await signalIn(em, first.id)).exitStatus, 'cancelled')

      const second = await desk.opened({ exitRule: exitAfter(5) })
      broker.positions = [held('20', 'LONG')]
      assert.equal((await sizing(second)).quantity, '10')
      assert.equal(await cancel(second), 'too_late')
      assert.notEqual((await signalIn(em, second.id)).exitStatus, 'cancelled')
    })
  })
})
