import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { reconcile, type ReconcileDependencies } from '#api/reconcile/reconcile.ts'
import { BrokerOutcomeUnknown } from '#brokers/port.ts'
import { positionDifferences } from '#db/position/position-differences.ts'
import type { Database } from '#db/engine/database.ts'
import { Alert, Order } from '#db/entities/index.ts'
import { acknowledgeAlert, raiseAlert } from '#db/alert/alerts.ts'
import { openFillLedger, recordFills } from '#db/position/fills.ts'
import { writeLedgerMark } from '#db/watch/ledger-mark.ts'
import { markRestored } from '#db/watch/restoration.ts'
import { rollbackNotice } from '#domain/alert/rollback-notice.ts'
import { clientOrderIdFor, parseClientOrderId } from '#domain/order/order.ts'
import { inWords } from '#local/commands/reconcile.ts'
import { createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { aFill } from '#test/support/fills.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { held } from '#test/support/sample-position.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { useDatabase } from '#test/support/database.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { pluck } from '#test/support/pluck.ts'
import { RequestedSyncs } from '#worker/feed/requested-sync.ts'

const DAY = 86_400_000
const daysAgo = (days: number) => new Date(Date.now() - days * DAY).toISOString()

/** Lists only what was submitted after the instant that is asked for, as brokers do. */
class DatedBroker extends ScriptedBroker {
  override async listOrders(query: { status: 'open' | 'closed' | 'all'; after?: string; limit?: number }) {
    const listed = await super.listOrders(query)
    return listed.filter(({ submittedAt }) => submittedAt >= (query.after ?? ''))
  }
}

describe('the comparison of the ledger with a broker', () => {
  let database: Database
  let broker: DatedBroker
  let account: Awaited<ReturnType<typeof createAccount>>
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    broker = new DatedBroker()
    for (const table of ['users', 'ledger_mark']) await database.em.execute(`truncate ${table} cascade`)
    account = await createAccount(database.em)
  })

  const unused = () => assert.fail('nothing is mended')
  const untouched: ReconcileDependencies['gateway'] = {
    listRunning: async () => new Map(),
    runningOf: unused,
    inspect: unused,
    inspectRuns: unused,
    countRunning: unused,
    ensureRunning: unused,
    syncAccount: unused,
  }
  const reconciled = (changes: Partial<ReconcileDependencies> = {}) =>
    reconcile({
      patience: 0,
      lookEvery: 1,
      logger: pino({ level: 'silent' }),
      tell: () => {},
      database,
      gateway: untouched,
      brokerOf: () => broker,
      ...changes,
    })
  const differences = async (since?: Date): Promise<string[]> =>
    (await reconciled({ since })).outcomes.map(({ difference }) => difference.message)
  const filled = (submittedAt: string): string => {
    const report = orderReport(
      { id: randomUUID() },
      { status: 'FILLED', filledQuantity: '10', avgFillPrice: '100', submittedAt },
    )
    broker.put(report)
    return report.clientOrderId
  }

  it('reaches back to the state that was restored, however old the copy is', async () => {
    await writeLedgerMark(database.em, 1)
    const id = filled(daysAgo(3))
    assert.deepEqual(await differences(), [])
    await markRestored(database.em, daysAgo(4))
    const [message, ...more] = await differences()
    assert.ok(message?.startsWith(`order ${id} (BUY 10 AAPL`), message)
    assert.deepEqual(more, [])
  })

  it('reaches back to the last mark of a ledger that was not marked for days', async () => {
    await writeLedgerMark(database.em, 1)
    filled(daysAgo(3))
    await database.em.execute(`update ledger_mark set marked_at = now() - interval '4 days'`)
    assert.equal((await differences()).length, 1)
  })

  it('reaches back as far as it is asked to, and never less than a day', async () => {
    await writeLedgerMark(database.em, 1)
    filled(daysAgo(3))
    filled(daysAgo(0.5))
    assert.equal((await differences()).length, 1)
    assert.equal((await differences(new Date(daysAgo(0.1)))).length, 1)
    assert.equal((await differences(new Date(daysAgo(4)))).length, 2)
  })

  it('counts what is left, and names an attempt at mending that failed although nothing is left', async () => {
    await writeLedgerMark(database.em, 1)
    filled(daysAgo(0.5))
    const mending = (isMended: boolean) => {
      const syncAccount = () => {
        if (isMended) broker = new DatedBroker()
        return Promise.reject(new Error('the sync took longer than 20 s'))
      }
      return reconciled({ patience: 100, lookEvery: 10, gateway: { ...untouched, syncAccount } })
    }
    const left = await mending(false)
    assert.deepEqual(pluck(left.outcomes, 'isMended'), [false])
    const { outcomes, failures, failedAttempts } = await mending(true)
    assert.deepEqual(pluck(outcomes, 'isMended'), [true])
    assert.ok(failures.every(({ isOfNewAccount }) => isOfNewAccount))
    assert.deepEqual(
      failedAttempts.map(({ message }) => message.replace(/account \S+:/, 'account:')),
      ['sync account: the sync took longer than 20 s'],
    )
  })

  describe('where it lacks the signal or the manual order that an order was sent for,', () => {
    const PERSON = 'ada@example.com'

    /** As after a restoration: what is left is told in an alert, which the owner acknowledges. */
    async function acknowledgeWhatIsLeft(): Promise<void> {
      const em = database.em.fork()
      const { id: accountId, userId } = account
      const { outcomes } = await reconciled()
      const told = outcomes.map(({ difference: { message, advice }, isMended }) => ({
        message,
        advice,
        isMended,
      }))
      const notice = rollbackNotice({
        found: 'ledger',
        markedAt: daysAgo(0.5),
        differences: told,
        failures: [],
      })
      await raiseAlert(em, { accountId, signalId: null }, notice)
      const { id } = await em.findOneOrFail(Alert, { accountId })
      await acknowledgeAlert(em, userId, id, PERSON)
    }
    const byHand = (status: 'OPEN' | 'FILLED') => {
      const filledQuantity = status === 'FILLED' ? '10' : '0'
      const clientOrderId = clientOrderIdFor(HAND, 'entry', 1)
      broker.put({
        ...orderReport({ id: randomUUID() }, { status, filledQuantity, submittedAt: daysAgo(0.5) }),
        clientOrderId,
      })
    }
    const HAND = randomUUID()

    it('a person is notified that nothing follows it, of an order by hand too', async () => {
      await writeLedgerMark(database.em, 1)
      byHand('FILLED')
      filled(daysAgo(0.5))
      const advices = (await reconciled()).outcomes.map(({ difference }) => difference.advice)
      const left =
        /so that nothing follows it: it has bought 10 AAPL more than it has sold, and no exit is placed/
      for (const advice of advices) assert.match(advice, left)
      assert.deepEqual(
        new Set(advices.map((advice) => advice.split(',')[0])),
        new Set(['its signal is not in the ledger']),
      )
    })

    it('the order is named until its owner has acknowledged it, and again when it has changed since', async () => {
      await writeLedgerMark(database.em, 1)
      byHand('OPEN')
      const ofSignal = filled(daysAgo(0.5))
      assert.equal((await differences()).length, 2)
      await acknowledgeWhatIsLeft()
      const { compared, outcomes } = await reconciled()
      assert.deepEqual([outcomes, compared.acknowledged], [[], 2])
      assert.match(inWords(await reconciled()), /2 orders that the ledger lacks were acknowledged/)

      byHand('FILLED')
      const [message, ...more] = await differences()
      assert.match(message ?? '', /-e1 \(BUY 10 AAPL, FILLED with 10 filled\) is at the broker/)
      assert.deepEqual(more, [], `${ofSignal} is not named again`)
    })

    it('an acknowledged order is named when the service does know what it was sent for', async () => {
      await writeLedgerMark(database.em, 1)
      const clientOrderId = filled(daysAgo(0.5))
      await acknowledgeWhatIsLeft()
      assert.deepEqual(await differences(), [])
      const { id: accountId } = account
      await createSignal(database.em.fork(), { accountId, id: parseClientOrderId(clientOrderId)!.signalId })
      assert.equal((await differences()).length, 1)
    })
  })

  describe('that has the worker adopt what differs', () => {
    /** Another worker each time, as after a restart. */
    const sync: ReconcileDependencies['gateway']['syncAccount'] = (accountId, _, since) =>
      new RequestedSyncs({
        em: database.em,
        secretKeys,
        connectBroker: () => broker,
        announcer: { announce: async () => true, ensureRunning: async () => {}, retryExit: async () => {} },
        requestTimeoutMs: 1_000,
        log: loggerInMemory().log,
      }).sync({ accountId, ...(since !== undefined && { since }) })
    const taken = async (syncAccount = sync) => {
      const { outcomes } = await reconciled({
        since: new Date(daysAgo(4)),
        patience: 5_000,
        gateway: { ...untouched, syncAccount },
      })
      return outcomes.map(({ difference, isMended }) => `${difference.message} ${isMended}`)
    }
    const followedFor = (days: number) =>
      database.em.execute('update accounts set created_at = ? where id = ?', [daysAgo(days), account.id])
    /** Signals whose orders are three days old, one of each end, that only the broker knows. */
    const endedLongAgo = async (): Promise<string[]> => {
      const ids: string[] = []
      for (const status of ['CANCELLED', 'EXPIRED', 'FILLED'] as const) {
        const signal = await createSignal(database.em, { accountId: account.id })
        const report = orderReport(signal, { submittedAt: daysAgo(3) })
        broker.put({ ...(status === 'FILLED' ? withFill(report, '10') : report), status })
        ids.push(report.clientOrderId)
      }
      return ids
    }
    const inLedger = async (ids: string[]) =>
      (await database.em.fork().find(Order, { clientOrderId: ids })).map(({ status }) => status).toSorted()

    it('every difference that the service is said to adopt is adopted, as far back as it is named', async () => {
      await followedFor(5)
      const { id: accountId, userId } = account
      const ids = await endedLongAgo()
      await openFillLedger(database.em, { accountId, userId }, [])
      const at = (days: number) => daysAgo(days).replace('Z', '000Z')
      // The ledger has read on since then.
      broker.fills = [aFill({ quantity: '1', at: at(1) })]
      await recordFills(database.em, { accountId, userId }, { fills: broker.fills, fees: [], until: at(1) })
      broker.fills.push(aFill({ quantity: '10', at: at(3) }))
      broker.positions = [held('11', 'LONG')]
      const named = await taken()
      assert.equal(named.length, 5, named.join('\n'))
      assert.deepEqual(
        named.filter((each) => !each.endsWith('true')),
        [],
      )
      assert.deepEqual(await inLedger(ids), ['CANCELLED', 'EXPIRED', 'FILLED'])
      assert.deepEqual(await differences(new Date(daysAgo(4))), [])
    })

    it('orders that ended long ago are adopted by the next sync where one that reaches less far was under way, or failed', async () => {
      await followedFor(5)
      const ids = await endedLongAgo()
      let syncs = 0
      const named = await taken(async (accountId, milliseconds, since) => {
        syncs += 1
        if (syncs === 1) return { outcome: 'unreachable', detail: 'the worker dies here' }
        return sync(accountId, milliseconds, syncs === 2 ? undefined : since)
      })
      assert.deepEqual(
        named.map((each) => each.endsWith('true')),
        [true, true, true],
      )
      assert.equal(syncs, 3)
      assert.deepEqual(await inLedger(ids), ['CANCELLED', 'EXPIRED', 'FILLED'])
    })

    it('orders and executions are adopted once each where a worker dies between them', async () => {
      await followedFor(5)
      const { id: accountId, userId } = account
      await openFillLedger(database.em, { accountId, userId }, [])
      const ids = await endedLongAgo()
      const filled = [...broker.accepted.values()].find(({ report }) => report.status === 'FILLED')!.report
      const at = daysAgo(3).replace('Z', '000Z')
      broker.fills = [aFill({ brokerOrderId: filled.brokerOrderId, quantity: '10', at })]
      broker.positions = [held('10', 'LONG')]
      const { listFills } = broker
      let lists = 0
      let orders: string[] = []
      const named = await taken(async (...call) => {
        lists = 0
        broker.listFills = async (after) => {
          lists += 1
          if (lists === 2 && orders.length === 0) {
            orders = await inLedger(ids)
            throw new BrokerOutcomeUnknown('the worker dies here')
          }
          return listFills.call(broker, after)
        }
        return sync(...call)
      })
      assert.deepEqual(orders, ['CANCELLED', 'EXPIRED', 'FILLED'])
      assert.deepEqual(
        named.filter((each) => !each.endsWith('true')),
        [],
      )
      assert.deepEqual(await positionDifferences(database.em, accountId, broker.positions), [])
    })

    it('executions from before the account was followed are not adopted: the shares are in the ledger as they were held', async () => {
      await followedFor(2)
      const { id: accountId, userId } = account
      broker.positions = [held('10', 'LONG')]
      await openFillLedger(database.em, { accountId, userId }, broker.positions)
      const at = (days: number) => daysAgo(days).replace('Z', '000Z')
      broker.fills = [aFill({ quantity: '10', at: at(3) }), aFill({ quantity: '2', at: at(1) })]
      broker.positions = [held('12', 'LONG')]
      const named = await taken()
      assert.equal(named.filter((each) => each.startsWith('execution')).length, 1)
      assert.deepEqual(
        named.filter((each) => !each.endsWith('true')),
        [],
      )
      assert.deepEqual(await positionDifferences(database.em, accountId), [])
    })
  })

  it('the comparison of the ledger with a broker is of all orders, of more than a broker lists in one answer too', async () => {
    await writeLedgerMark(database.em, 1)
    for (let order = 0; order < 501; order += 1) filled(daysAgo(0.5))
    assert.equal((await differences()).length, 501)
  })
})
