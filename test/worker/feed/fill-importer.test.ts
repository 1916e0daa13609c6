import assert from 'node:assert/strict'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { compareAccount } from '#activities/account/compare.ts'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import type { Execution } from '#domain/order/fill.ts'
import type { OrderReport } from '#domain/order/order.ts'
import { orderIn } from '#test/support/ledger.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { dayBefore } from '#test/support/day-before.ts'
import { aFill, tradesIn } from '#test/support/fills.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { held } from '#test/support/sample-position.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { useDatabase } from '#test/support/database.ts'
import { FillImporter } from '#worker/feed/fill-importer.ts'
import { PositionCheck } from '#worker/feed/position-check.ts'

describe('fill desk', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  const START = Date.now() - 3_600_000
  const MINUTE = 60_000
  /** So many milliseconds after the account is followed. */
  const instant = (milliseconds: number): string =>
    new Date(START + milliseconds).toISOString().replace('Z', '000Z')
  let broker: ScriptedBroker
  let account: Account
  let logged: ReturnType<typeof loggerInMemory>
  let importer: FillImporter
  const asked: string[] = []
  const askFor = async (brokerOrderId: string) => {
    asked.push(brokerOrderId)
    return 'not_ours' as const
  }
  const newImporter = () =>
    new FillImporter(em, broker, { accountId: account.id, userId: account.userId }, askFor, logged.log)
  beforeEach(async () => {
    broker = new ScriptedBroker()
    asked.length = 0
    logged = loggerInMemory()
    account = await createAccount(em, { createdAt: new Date(START) })
    importer = newImporter()
  })

  const trades = () => tradesIn(em, account.id)
  const executed = (at: number, fields: Partial<Execution> = {}): Execution => {
    const fill = aFill({ at: instant(at), ...fields })
    broker.fills.push(fill)
    return fill
  }
  const fillsOf = async (brokerOrderId: string): Promise<string[]> => {
    const rows = await em.execute<{ line: string }[]>(
      `select format('%s of %s at %s', trim_scale(quantity), trim_scale(order_filled), trim_scale(price)) as line
       from fills where account_id = ? and broker_order_id = ? order by at`,
      [account.id, brokerOrderId],
    )
    return rows.map(({ line }) => line)
  }
  const listings = () => broker.requests.get('listFills') ?? 0
  const look = (at: number, by = importer) => by.poll(START + at)
  /** As the comparison of the account has it done. */
  const lookBack = async (at: number) => {
    const since = dayBefore(START + at)
    const compared = await compareAccount({ em, broker, accountId: account.id }, since)
    return importer.amend(compared, since, START + at)
  }
  const opened = async () => {
    await look(0)
    broker.requests.clear()
  }

  it('stores every execution, also of orders from elsewhere', async () => {
    await opened()
    executed(1_000)
    await look(2_000)
    executed(3_000, { side: 'SELL', price: '101' })
    await look(4_000)
    assert.deepEqual(await trades(), ['CLOSED LONG 1 AAPL 100>101 fees 0 pnl 1'])
    assert.equal(listings(), 2)
  })

  describe('at a list with an execution that cannot be read', () => {
    const alerts = () =>
      em.execute<{ message: string; open: boolean }[]>(
        `select message, resolved_at is null as open from alerts
         where account_id = ? and kind = 'execution_unreadable' order by raised_at`,
        [account.id],
      )
    const odd = { executionId: 'odd', detail: 'qty is no quantity of shares' }
    beforeEach(async () => {
      await opened()
      broker.unreadable = [odd]
      executed(1_000)
    })

    it('stores the others, and reports that one once', async () => {
      await look(2_000)
      executed(3_000, { side: 'SELL' })
      await look(4_000)
      assert.deepEqual(await trades(), ['CLOSED LONG 1 AAPL 100>100 fees 0 pnl 0'])
      const [alert, ...others] = await alerts()
      assert.match(alert!.message, /an execution that cannot be read: odd \(qty is no quantity of shares\)/)
      assert.deepEqual(others, [])
      await em.execute('update alerts set resolved_at = now() where account_id = ?', [account.id])
      await look(5_000)
      assert.deepEqual((await alerts()).length, 1)
    })

    it('ends the alert once it can be read', async () => {
      await look(2_000)
      broker.unreadable = []
      executed(2_500, { executionId: odd.executionId })
      await look(3_000)
      assert.deepEqual(
        (await alerts()).map(({ open }) => open),
        [false],
      )
    })

    it('warns of accepting a position that differs because of it', async () => {
      await createSignal(em, { accountId: account.id, exitStatus: 'waiting' })
      await look(2_000)
      const check = new PositionCheck(em, account.id)
      const owner = { accountId: account.id, userId: account.userId }
      const positions = [held('4', 'LONG')]
      await saveAccountSnapshot(em.fork(), owner, { ...broker.balances, positions })
      await check.look(0)
      await check.look(60_000)
      const [row] = await em.execute<{ message: string }[]>(
        `select message from alerts where account_id = ? and kind = 'position_differs'`,
        [account.id],
      )
      assert.match(row!.message, /Executions that cannot be read may be the reason \(odd\)$/)
    })
  })

  describe('of executions that the broker took back while no stream was connected', () => {
    /** A moment at which everything has been stored for long enough to be on the list. */
    const later = (): number => Date.now() + 2 * MINUTE - START
    let entry: OrderReport
    let busted: Execution
    beforeEach(async () => {
      await opened()
      const signal = await createSignal(em, { accountId: account.id })
      entry = withFill(orderReport(signal, { submittedAt: instant(0) }), '10')
      await recordAccepted(em, entry)
      const { brokerOrderId } = entry
      executed(1_000, { brokerOrderId, quantity: '4' })
      busted = executed(2_000, { brokerOrderId, quantity: '6', orderFilled: '10' })
      await look(3_000)
      broker.fills = broker.fills.filter((fill) => fill !== busted)
    })

    it('takes them out of the trades and lowers their order', async () => {
      broker.put({ ...entry, filledQuantity: '4' })
      await lookBack(later())
      assert.deepEqual(await trades(), ['OPEN LONG 4 AAPL 100> fees 0 pnl '])
      assert.equal(Number((await orderIn(em, entry.clientOrderId)).filledQuantity), 4)
    })

    it('keeps executions that a list lacks when their order confirms them', async () => {
      broker.put(entry)
      await lookBack(later())
      assert.deepEqual(await trades(), ['OPEN LONG 10 AAPL 100> fees 0 pnl '])
    })

    it('keeps executions that a list lacks which ends where it has more', async () => {
      broker.put({ ...entry, filledQuantity: '4' })
      const { listFills } = broker
      broker.listFills = async (after) => ({
        ...(await listFills.call(broker, after)),
        until: null,
        hasMore: true,
      })
      await lookBack(later())
      assert.deepEqual(await trades(), ['OPEN LONG 10 AAPL 100> fees 0 pnl '])
    })
  })

  it('takes over an execution that the broker has corrected under the same id, each time it does', async () => {
    const later = Date.now() + 2 * MINUTE - START
    await opened()
    const signal = await createSignal(em, { accountId: account.id })
    const entry = withFill(orderReport(signal, { submittedAt: instant(0) }), '10')
    await recordAccepted(em, entry)
    const { brokerOrderId } = entry
    const first = executed(1_000, { brokerOrderId, quantity: '4' })
    executed(2_000, { brokerOrderId, quantity: '6', orderFilled: '10' })
    await look(3_000)
    const correct = async (quantity: Decimal, price: Decimal, filledQuantity: Decimal): Promise<void> => {
      broker.fills = broker.fills.map((fill) =>
        fill.executionId === first.executionId ? { ...fill, quantity, price } : fill,
      )
      broker.put({ ...entry, filledQuantity })
      await lookBack(later)
    }
    await correct('3', '101', '9')
    assert.deepEqual(await trades(), ['OPEN LONG 9 AAPL 100.333333333> fees 0 pnl '])
    assert.equal(Number((await orderIn(em, entry.clientOrderId)).filledQuantity), 9)
    assert.deepEqual(await fillsOf(brokerOrderId), ['3 of 3 at 101', '6 of 9 at 100'])
    await correct('3', '102', '9')
    assert.deepEqual(await fillsOf(brokerOrderId), ['3 of 3 at 102', '6 of 9 at 100'])
    const warned = () => logged.lines.filter(({ msg }) => msg.includes('has amended an execution')).length
    assert.equal(warned(), 2)
    await lookBack(later)
    assert.equal(warned(), 2)
  })

  it('reads a list that comes in parts to its end', async () => {
    await opened()
    broker.fillsInOneAnswer = 2
    for (let at = 1; at <= 7; at += 1) executed(at * 1_000)
    await look(8_000)
    assert.equal((await trades()).length, 7)
  })

  it('finds a fill that was booked a moment after a later one', async () => {
    await opened()
    executed(10_000)
    await look(10_001)
    executed(8_000, { side: 'SELL', symbol: 'MSFT' })
    await look(20_000)
    assert.equal((await trades()).length, 2)
  })

  it('goes back for a fill that was booked much later, once its order is known to have filled', async () => {
    await opened()
    const signal = await createSignal(em, { accountId: account.id })
    const report = orderReport(signal, { submittedAt: instant(0) })
    await recordAccepted(em, report)
    await applyOrderReport(em, account.id, withFill(report, '10'))
    executed(20 * MINUTE, { symbol: 'MSFT' })
    await look(20 * MINUTE)
    assert.ok(logged.lines.some(({ msg }) => msg.includes('does not list')))
    executed(1_000, { brokerOrderId: report.brokerOrderId, quantity: '10' })
    await look(20 * MINUTE + 5_000)
    assert.deepEqual(await trades(), ['OPEN LONG 1 MSFT 100> fees 0 pnl '])
    await look(21 * MINUTE)
    assert.deepEqual(await trades(), [
      'OPEN LONG 10 AAPL 100> fees 0 pnl ',
      'OPEN LONG 1 MSFT 100> fees 0 pnl ',
    ])
  })

  it('looks back less and less often for executions that the broker never lists', async () => {
    await opened()
    const signal = await createSignal(em, { accountId: account.id })
    const report = orderReport(signal, { submittedAt: instant(0) })
    await recordAccepted(em, report)
    await applyOrderReport(em, account.id, withFill(report, '10'))
    broker.requests.clear()
    for (let seconds = 0; seconds < 3_600; seconds += 15) await look(20 * MINUTE + seconds * 1_000)
    // 240 looks; back after 30 s, 1, 2, 4, 8 minutes and then each quarter of an hour.
    assert.ok(listings() - 240 <= 10, `${listings() - 240} looks back`)
  })

  describe('at an account that is new to it', () => {
    const position = { side: 'LONG', avgCost: '80', availableQuantity: '0', currentPrice: '0' } as const
    const rest = {
      marketValue: '0',
      unrealisedPnl: '0',
      unrealisedPnlPercent: '0',
      dayChange: null,
      dayChangePercent: null,
    } as const
    const holds = (quantity: Decimal) =>
      (broker.positions = [{ ...position, ...rest, symbol: 'AAPL', quantity }])

    it('takes over the held shares, once', async () => {
      holds('3')
      await look(1_000)
      holds('9')
      await look(2_000, newImporter())
      assert.deepEqual(await trades(), ['OPEN LONG 3 AAPL 80> fees 0 pnl '])
    })

    it('fill desk at an account that is new to it does not read executions from before it was connected', async () => {
      executed(-MINUTE)
      holds('1')
      await look(1_000)
      assert.deepEqual(await trades(), ['OPEN LONG 1 AAPL 80> fees 0 pnl '])
    })

    it('takes over held shares only after a pause in executions, since positions lag behind', async () => {
      executed(1_000, { side: 'SELL', quantity: '2' })
      holds('3')
      await look(2_000)
      assert.deepEqual(await trades(), ['OPEN SHORT 2 AAPL 100> fees 0 pnl '])
      holds('1')
      await look(10_000)
      assert.deepEqual(await trades(), [
        'CLOSED LONG 2 AAPL 80>100 fees 0 pnl 40',
        'OPEN LONG 1 AAPL 80> fees 0 pnl ',
      ])
    })

    it('fill desk at an account that is new to it does not take over held shares when an order is executed meanwhile', async () => {
      const list = broker.listPositions.bind(broker)
      broker.listPositions = async () => {
        const positions = await list()
        executed(1_000, { quantity: '3' })
        return positions
      }
      await look(60_000)
      assert.deepEqual(await trades(), ['OPEN LONG 3 AAPL 100> fees 0 pnl '])
      broker.listPositions = list
      holds('3')
      await look(61_000)
      assert.deepEqual(await trades(), ['OPEN LONG 3 AAPL 100> fees 0 pnl '])
    })

    it('fill desk at an account that is new to it does not take over held shares when another worker has stored that already', async () => {
      const list = broker.listPositions.bind(broker)
      broker.listPositions = async () => {
        broker.listPositions = list
        const positions = await list()
        executed(1_000, { quantity: '3' })
        await look(2_000, newImporter())
        return positions
      }
      await look(60_000)
      assert.deepEqual(await trades(), ['OPEN LONG 3 AAPL 100> fees 0 pnl '])
    })

    it('reads an account that trades all the time on from where it was', async () => {
      for (let at = 1; at <= 20; at += 1) {
        executed(at * 1_000)
        await look(at * 1_000 + 1)
      }
      const asked = broker.fillsAskedSince.at(-1)!
      assert.ok(Date.parse(asked) > START + 10_000, asked)
    })
  })
})
