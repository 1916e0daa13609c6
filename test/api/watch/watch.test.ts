import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import pino from 'pino'
import { GatewayUnavailable } from '#api/temporal/calls.ts'
import type { WorkflowToRun, RunningWorkflow } from '#api/temporal/watch-gateway.ts'
import { checkFailing } from '#api/watch/diagnosis.ts'
import { Census, countMissing } from '#api/supervisor/census.ts'
import { RollbackWatch } from '#api/reconcile/rollback-watch.ts'
import { createWatch, watchOverdue } from '#api/jobs/watch.ts'
import { saveAccountSnapshot } from '#db/account/sync.ts'
import { openDatabase, type Database } from '#db/engine/database.ts'
import { recordSnapshotSchedule, recordSyncInterval } from '#db/watch/overdue-work.ts'
import { Account, Alert, type Signal } from '#db/entities/index.ts'
import { giveUpLease, holdLease } from '#db/engine/leases.ts'
import { recordClosed, recordAccepted, recordExitScheduled, recordExitTrouble } from '#db/signal/ledger.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { liftHalt, listActiveHalts, setHalt } from '#db/risk/halts.ts'
import { recordFeedNews } from '#db/watch/account-feeds.ts'
import { readLedgerMark, writeLedgerMark } from '#db/watch/ledger-mark.ts'
import { markRestored } from '#db/watch/restoration.ts'
import { listFailing, recordFailedTasks } from '#db/watch/failing-workflows.ts'
import { countWorkers, recordHeartbeat } from '#db/watch/worker-heartbeats.ts'
import { exitBegins } from '#domain/exit/progress.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { workflowIdFor } from '#domain/signal/signal.ts'
import { orderRequest } from '#test/brokers/order-requests.ts'
import { eventually } from '#test/support/eventually.ts'
import { copySignal, createAccount, createSignal, orderReport, withFill } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { createTestDatabase, type TestDatabase } from '#test/support/servers.ts'
import { subjectOf } from '../support/subject-of-workflow.ts'
import { UNRESTRICTED } from '#test/support/permissions.ts'

const runs: RunningWorkflow = { taskFailures: 0, failingStep: null }
const ago = (seconds: number): Date => new Date(Date.now() - seconds * 1_000)

describe('the watch', function () {
  this.timeout(60_000)
  let server: TestDatabase
  let database: Database
  let account: Account
  let deps: Parameters<typeof createWatch>[0]
  /** Workflows that run, by their ids. */
  let running: Map<string, RunningWorkflow>
  /** How often in a row the code of runs has failed, by their ids. */
  let failures: Map<string, number>
  let restarted: WorkflowToRun[]
  /** Of how many workflows Temporal was asked which run, each time. */
  let asked: number[]
  /** A workflow that cannot be started again. */
  let spoilt: string | null
  let mark: number
  let temporalIsUp: boolean
  before(async () => {
    server = await createTestDatabase()
  })
  beforeEach(async () => {
    database = await openDatabase(server.url, 4)
    await database.em.execute('truncate users cascade')
    await database.em.execute(
      'truncate worker_heartbeats, sync_rounds, snapshot_schedules, leases, failing_workflows, ledger_mark',
    )
    account = await createAccount(database.em, { lastSyncedAt: new Date() })
    running = new Map()
    failures = new Map()
    restarted = []
    asked = []
    spoilt = null
    mark = 0
    temporalIsUp = true
    const whileUp = () => {
      if (!temporalIsUp) throw new GatewayUnavailable('Temporal did not answer')
    }
    deps = {
      database,
      taskQueue: 'signals',
      logger: pino({ level: 'silent' }),
      brokerOf: () => new ScriptedBroker(),
      phases: { look: async () => {}, rest: () => {} },
      quietMs: 0,
      lookEveryMs: 50,
      everyMs: 200,
      gateway: {
        readMark: async () => mark,
        async writeMark(sequence) {
          whileUp()
          mark = sequence
        },
        syncAccount: async () => ({ outcome: 'gone' }),
        checkReachable: async () => whileUp(),
        async inspect(workflowId) {
          whileUp()
          return running.get(workflowId) ?? null
        },
        async inspectRuns(runIds) {
          whileUp()
          return new Map(
            runIds.flatMap((runId) => {
              const taskFailures = failures.get(runId)
              return taskFailures === undefined ? [] : [[runId, { workflowId: `of ${runId}`, taskFailures }]]
            }),
          )
        },
        async countRunning() {
          whileUp()
          return running.size
        },
        async listRunning() {
          whileUp()
          return new Map([...running.keys()].map((id) => [id, account.id]))
        },
        async runningOf(workflowIds) {
          whileUp()
          asked.push(workflowIds.length)
          return new Set(workflowIds.filter((id) => running.has(id)))
        },
        async ensureRunning(rebuilt) {
          whileUp()
          const id = 'terms' in rebuilt ? workflowIdFor(rebuilt.terms.signalId) : subjectOf(rebuilt)
          if (id === spoilt) throw new Error('its record is spoilt')
          if (running.has(id)) return false
          running.set(id, runs)
          restarted.push(rebuilt)
          return true
        },
      },
    }
    await recordHeartbeat(database.em, {
      workerId: randomUUID(),
      taskQueue: 'signals',
      buildId: 'a build',
    })
  })
  afterEach(() => database?.close(true))
  after(() => server?.drop())

  const alerts = async () =>
    (await database.em.fork().find(Alert, { resolvedAt: null }, { orderBy: { raisedAt: 1 } })).map(
      ({ kind, signalId, data }) => ({
        kind,
        signalId,
        ...(data as { what?: string; cause?: string }),
      }),
    )
  const causes = async () => (await alerts()).map(({ what, cause }) => `${what}: ${cause}`)
  const look = () => watchOverdue(deps)
  const signal = (fields: Partial<Signal> = {}) =>
    createSignal(database.em, { accountId: account.id, workflowStartedAt: ago(60), ...fields })
  const runsFor = ({ id }: Signal, how = runs) => running.set(workflowIdFor(id), how)
  /** A signal whose entry is filled and whose exit was due so many seconds ago. */
  async function exitDue(secondsAgo: number): Promise<Signal> {
    const stored = await signal({ exitRule: exitAtOnce, exitStatus: 'waiting' })
    const report = orderReport(stored)
    await recordAccepted(database.em, report)
    const filled = withFill(report, '10')
    await applyOrderReport(database.em, account.id, filled)
    await recordExitScheduled(database.em, stored.id, ago(secondsAgo).toISOString(), {
      entry: filled,
      plan: { submitAt: ago(secondsAgo).toISOString(), reason: null },
      progress: exitBegins(1),
    })
    return stored
  }

  describe('alerts to work that is due and not done after 15 s:', () => {
    it('an exit, and ends the alert when its order is accepted', async () => {
      const stored = await exitDue(16)
      runsFor(stored)
      await look()
      assert.deepEqual(await alerts(), [
        {
          kind: 'action_overdue',
          signalId: stored.id,
          what: 'exit',
          cause: 'busy',
          dueAt: (await alerts())[0]!['dueAt' as never],
        },
      ])
      await recordAccepted(database.em, orderReport(stored, { role: 'exit' }))
      await look()
      assert.deepEqual(await alerts(), [])
    })

    it('an exit that is younger than that is none', async () => {
      await exitDue(14)
      await look()
      assert.deepEqual(await alerts(), [])
    })

    it('a scheduled entry, an expiry, an entry and an order by its good till date', async () => {
      runsFor(await signal({ status: 'scheduled', executeMode: 'scheduled', scheduledAt: ago(20) }))
      runsFor(await signal({ status: 'scheduled', executeMode: 'scheduled', scheduledAt: ago(-20) }))
      runsFor(await signal({ status: 'pending', executeMode: 'pending', validUntil: ago(20) }))
      runsFor(await signal({ status: 'pending', executeMode: 'pending' }))
      runsFor(await signal({ status: 'transmitted', acceptedAt: ago(20) }))
      runsFor(await signal({ status: 'executed', timeInForce: 'gtd', expiresAt: ago(20) }))
      await look()
      assert.deepEqual((await causes()).toSorted(), [
        'entry: busy',
        'expiry: busy',
        'gtd_cancel: busy',
        'scheduled_entry: busy',
      ])
    })

    it('an entry since its own instant, though its record has changed since then', async () => {
      runsFor(await signal({ status: 'queued', acceptedAt: ago(20), updatedAt: ago(1) }))
      await look()
      assert.deepEqual(await causes(), ['entry: busy'])
    })

    it('an entry that was due or approved only now is none, whenever its signal came', async () => {
      runsFor(
        await signal({ status: 'queued', acceptedAt: ago(600), scheduledAt: ago(14), updatedAt: ago(14) }),
      )
      runsFor(
        await signal({ status: 'queued', acceptedAt: ago(600), decidedAt: ago(14), updatedAt: ago(14) }),
      )
      await look()
      assert.deepEqual(await causes(), [])
    })

    it('the end of an order that its workflow has not acted upon', async () => {
      const stored = await signal()
      runsFor(stored)
      const report = orderReport(stored)
      await recordAccepted(database.em, report)
      await applyOrderReport(database.em, account.id, withFill(report, '10'))
      await look()
      assert.deepEqual(await causes(), [])
      await database.em.execute(`update orders set updated_at = now() - interval '16 seconds'`)
      await look()
      assert.deepEqual(await causes(), ['order_end: busy'])
    })

    it('an account that was not synced in its round, and ends the alert when it is', async () => {
      await recordSyncInterval(database.em, 3_600_000)
      await database.em.fork().nativeUpdate(Account, { id: account.id }, { lastSyncedAt: ago(7_300) })
      await look()
      assert.deepEqual(await causes(), ['account_sync: not_started'])
      const balances = {
        equity: '1',
        cashBalance: '1',
        buyingPower: '1',
        marketValue: '0',
        positions: [],
      } as const
      await saveAccountSnapshot(
        database.em.fork(),
        { accountId: account.id, userId: account.userId },
        {
          type: 'MARGIN',
          currency: 'USD',
          dayTradingBuyingPower: null,
          permissions: UNRESTRICTED,
          ...balances,
        },
      )
      await look()
      assert.deepEqual(await causes(), [])
    })

    it('an account that has missed a round, also when the next one has just begun', async () => {
      const now = Math.floor(Date.now() / 1_000)
      let seconds = 100
      while (now % seconds > 5) seconds += 1
      await recordSyncInterval(database.em, seconds * 1_000)
      await database.em.fork().nativeUpdate(Account, { id: account.id }, { lastSyncedAt: ago(2 * seconds) })
      await look()
      assert.deepEqual(await causes(), ['account_sync: not_started'])
    })

    it('an account whose feed is silent too long, and ends the alert when it reports', async () => {
      await database.em.execute(`update broker_connections set updated_at = now() - interval '2 minutes'`)
      await recordFeedNews(database.em, account.id, { isCompared: true, dueWithin: -14_000 })
      await look()
      assert.deepEqual(await causes(), [])
      await recordFeedNews(database.em, account.id, { isCompared: true, dueWithin: -16_000 })
      assert.match((await look())!, new RegExp(`not_followed.*${account.id}`))
      assert.deepEqual(await causes(), ['feed: not_followed'])
      await recordFeedNews(database.em, account.id, { isCompared: false, dueWithin: 45_000 })
      await look()
      assert.deepEqual(await causes(), [])
    })

    it('an account that was connected over a minute ago and that no worker follows', async () => {
      await database.em.execute(`update broker_connections set updated_at = now() - interval '74 seconds'`)
      await look()
      assert.deepEqual(await causes(), [])
      await database.em.execute(`update broker_connections set updated_at = now() - interval '76 seconds'`)
      temporalIsUp = false
      await look()
      assert.deepEqual(await causes(), ['feed: not_followed'])
      await database.em.execute('delete from worker_heartbeats')
      await look()
      assert.deepEqual(await causes(), ['feed: no_worker'])
    })

    it('balances of a day that were not recorded when it had ended', async () => {
      await database.em.fork().nativeUpdate(Account, { id: account.id }, { createdAt: ago(90_000) })
      for (const [began, expected] of [
        [20, ['snapshot: not_started']],
        [-60, []],
      ] as const) {
        const span = { from: ago(began).toISOString(), until: ago(-3_600).toISOString() }
        await recordSnapshotSchedule(database.em, { brokerType: 'alpaca', date: '2026-03-02', ...span })
        await look()
        assert.deepEqual(await causes(), expected)
      }
    })
  })

  describe('names the cause:', () => {
    const drill = { level: 'fullStop', reason: 'drill', by: 'operator' } as const
    it('the watch names the cause: not started, though Temporal answers', async () => {
      await signal({ status: 'queued', acceptedAt: ago(20), workflowStartedAt: null })
      await look()
      assert.deepEqual(await causes(), ['entry: not_started'])
    })

    for (const [what, cause, happens] of [
      ['no worker runs', 'no_worker', () => database.em.execute('delete from worker_heartbeats')],
      ['Temporal is gone', 'temporal_unreachable', () => (temporalIsUp = false)],
      ['a halt holds it', 'halted', () => setHalt(database.em, { scope: 'global' }, drill)],
    ] as const)
      it(what, async () => {
        runsFor(await exitDue(20))
        await happens()
        await look()
        assert.deepEqual(await causes(), [`exit: ${cause}`])
        await database.em.execute('delete from trading_halts')
      })

    it('the code of the workflow fails', async () => {
      runsFor(await exitDue(20), { taskFailures: 4, failingStep: null })
      await look()
      assert.deepEqual(await causes(), ['exit: workflow_failing'])
    })

    it('a step fails, with its failure in words, and the name of the step beside the words', async () => {
      const failingStep = { name: 'sizeExit', failure: 'the broker does not answer' }
      runsFor(await exitDue(20), { taskFailures: 0, failingStep })
      await look()
      const [alert] = await database.em.fork().find(Alert, {})
      assert.match(
        alert!.message,
        /^The exit is overdue .*it cannot be done yet, and is retried \(the broker does not answer\)$/,
      )
      assert.equal(alert!.data['step'], 'sizeExit')
    })

    it('an exit or an order that the owner’s own stop keeps back raises no alert; one that another stop keeps back does', async () => {
      const stored = await exitDue(20)
      runsFor(stored)
      const [owner] = await database.em.execute<{ email: string }[]>('select email from users where id = ?', [
        stored.userId,
      ])
      const user = { scope: 'user', userId: stored.userId } as const
      await setHalt(database.em, user, { level: 'fullStop', reason: null, by: owner!.email })
      await look()
      assert.deepEqual(await causes(), [])
      await setHalt(
        database.em,
        { ...user, scope: 'operator' },
        { level: 'fullStop', reason: null, by: 'operator' },
      )
      await look()
      assert.deepEqual(await causes(), ['exit: halted'])
      await database.em.execute('delete from trading_halts')
    })

    it('the watch names the cause: and once only: an exit whose trouble its workflow has reported already raises no second alert', async () => {
      const stored = await exitDue(20)
      const trouble = { generation: 1, kind: 'held', code: null, detail: 'no position' } as const
      await recordExitTrouble(database.em, stored.id, ago(19).toISOString(), { ...trouble, acknowledges: [] })
      runsFor(stored, { taskFailures: 0, failingStep: { name: 'sizeExit', failure: 'no' } })
      await look()
      assert.deepEqual(
        (await alerts()).map(({ kind }) => kind),
        ['unprotected_position'],
      )
      await database.em.execute('delete from worker_heartbeats')
      await look()
      assert.deepEqual((await alerts()).map(({ kind }) => kind).toSorted(), [
        'action_overdue',
        'unprotected_position',
      ])
    })

    it('nothing is overdue while an exit waits for its next try', async () => {
      const stored = await exitDue(60)
      const nextTry = { usual: ago(-60).toISOString(), acknowledged: ago(-900).toISOString() }
      const trouble = { generation: 1, kind: 'rejected', code: 'INVALID_ORDER', detail: 'no' } as const
      await recordExitTrouble(database.em, stored.id, ago(19).toISOString(), {
        ...trouble,
        acknowledges: [],
        nextTry,
      })
      await look()
      assert.deepEqual(
        (await alerts()).map(({ kind }) => kind),
        ['unprotected_position'],
      )
    })
  })

  describe('starts a missing workflow again', () => {
    it('the watch starts a missing workflow again when its work is overdue, in its phase, and once', async () => {
      const stored = await exitDue(20)
      await look()
      assert.deepEqual(await causes(), ['exit: workflow_missing'])
      await look()
      const [rebuilt, ...others] = restarted
      assert.deepEqual(others, [])
      assert.ok(rebuilt && 'terms' in rebuilt)
      assert.equal(rebuilt.terms.signalId, stored.id)
      assert.equal(rebuilt.status, 'executed')
    })

    it('the watch starts a missing workflow again before anything is overdue: the ledger knows of more than run', async () => {
      const lost = await signal({ status: 'pending', executeMode: 'pending' })
      const alive = await signal({ status: 'pending', executeMode: 'pending' })
      runsFor(alive)
      assert.equal(await countMissing(deps), 1)
      assert.equal(await Census.take(deps), 1)
      const [rebuilt] = restarted
      assert.ok(rebuilt && 'terms' in rebuilt && rebuilt.terms.signalId === lost.id)
      assert.equal(rebuilt.status, 'pending')
      assert.equal(await countMissing(deps), 0)
      assert.equal(await Census.take(deps), 0)
    })

    it('the watch starts a missing workflow again when its count is made up by a workflow that runs and has ended by the ledger', async () => {
      const lost = await signal({ status: 'pending', executeMode: 'pending' })
      runsFor(await signal({ status: 'rejected' }))
      const watch = createWatch(deps)
      watch.start()
      await eventually(async () => assert.equal(restarted.length, 1))
      await watch.stop()
      const [rebuilt] = restarted
      assert.ok(rebuilt && 'terms' in rebuilt && rebuilt.terms.signalId === lost.id)
    })

    it('the watch starts a missing workflow again when it could not find out the time of its exit', async () => {
      const stored = await signal({ exitRule: exitAtOnce, exitStatus: 'waiting' })
      const report = orderReport(stored)
      await recordAccepted(database.em, report)
      const entry = withFill(report, '10')
      await applyOrderReport(database.em, account.id, entry)
      const trouble = { generation: 1, kind: 'unplanned', code: null, detail: 'no calendar' } as const
      await recordExitTrouble(database.em, stored.id, ago(16).toISOString(), {
        ...trouble,
        acknowledges: [entry],
      })
      await look()
      assert.deepEqual(
        (await alerts()).map(({ kind, what, cause }) => [kind, what, cause]),
        [
          ['unprotected_position', undefined, undefined],
          ['action_overdue', 'exit_plan', 'workflow_missing'],
        ],
      )
      await look()
      assert.equal(restarted.length, 1)
    })

    it('the watch starts a missing workflow again and leaves alone signals that have ended, were never started, or were started a moment ago', async () => {
      await signal({ status: 'rejected' })
      await signal({ workflowStartedAt: null })
      await signal({ workflowStartedAt: new Date() })
      const ended = await signal()
      const report = { ...orderReport(ended), status: 'CANCELLED' as const }
      await recordAccepted(database.em, report)
      await recordClosed(database.em, ended.id, ago(0).toISOString(), {
        message: 'ended',
        acknowledges: [report],
        exit: null,
        rejected: false,
        unprotected: null,
        closing: 1,
        entryFilled: '0',
        progress: exitBegins(),
      })
      assert.equal(await Census.take(deps), 0)
    })

    describe('slice by slice,', () => {
      const idsOf = (rebuilts: WorkflowToRun[]) => rebuilts.map(subjectOf).toSorted()
      let stored: Signal[]
      beforeEach(async () => {
        // At the same instant: their ids decide where a slice ends.
        const started = { status: 'pending', executeMode: 'pending', workflowStartedAt: ago(60) } as const
        stored = []
        for (let number = 0; number < 5; number += 1) stored.push(await signal(started))
      })

      it('each of them once', async () => {
        const lost = new Census(deps, 2)
        lost.begin()
        const found: number[] = []
        while (lost.isUnderWay) found.push(await lost.compareNext())
        assert.deepEqual(
          [found, asked],
          [
            [2, 2, 1],
            [2, 2, 1],
          ],
        )
        assert.deepEqual(idsOf(restarted), stored.map(({ id }) => id).toSorted())
      })

      it('the watch starts a missing workflow again slice by slice, from the beginning of the ledger when it is restarted', async () => {
        const lost = new Census(deps, 5)
        lost.begin()
        assert.deepEqual([await lost.compareNext(), lost.isUnderWay], [5, true])
        assert.deepEqual([await lost.compareNext(), lost.isUnderWay], [0, false])
        running.delete(workflowIdFor(stored[0]!.id))
        lost.begin()
        assert.equal(await lost.compareNext(), 1)
      })

      it('going on with the slice for which Temporal did not answer', async () => {
        const lost = new Census(deps, 2)
        lost.begin()
        await lost.compareNext()
        temporalIsUp = false
        await assert.rejects(lost.compareNext(), GatewayUnavailable)
        temporalIsUp = true
        while (lost.isUnderWay) await lost.compareNext()
        assert.deepEqual(idsOf(restarted), stored.map(({ id }) => id).toSorted())
      })

      it('the watch starts a missing workflow again slice by slice, though one of them cannot be started again', async () => {
        const [one, ...others] = stored
        spoilt = workflowIdFor(one!.id)
        assert.equal(await Census.take(deps), 4)
        assert.deepEqual(idsOf(restarted), others.map(({ id }) => id).toSorted())
      })
    })

    it('the watch starts a missing workflow again among thousands in one round, when fewer run than are to', async () => {
      const newest = await signal({ status: 'pending', executeMode: 'pending' })
      const others = await copySignal(
        database.em,
        newest.id,
        2_099,
        `workflow_started_at - interval '1 minute'`,
      )
      others.forEach((id) => running.set(workflowIdFor(id), runs))
      const watch = createWatch(deps)
      watch.start()
      await eventually(async () => assert.equal(restarted.length, 1), { within: 10_000 })
      await watch.stop()
      assert.deepEqual(asked, [1_000, 1_000, 100])
    })
  })

  describe('counts the workflows whose code fails by the report of a worker:', () => {
    const failing = async () =>
      (await countWorkers(database.em, 'signals', { buildId: 'a build', since: 0 })).failingWorkflows
    const told = (...runIds: string[]) => recordFailedTasks(database.em, 'signals', runIds)

    it('the watch counts the workflows whose code fails by the report of a worker: those that Temporal has seen fail twice in a row, until they go on', async () => {
      await told('failed once', 'goes on', 'keeps failing')
      await told('keeps failing')
      assert.equal(await failing(), 0)
      failures = new Map([
        ['failed once', 1],
        ['goes on', 0],
        ['keeps failing', 2],
        ['of another workflow', 7],
      ])
      await checkFailing(deps)
      assert.equal(await failing(), 1)
      failures.set('keeps failing', 0)
      await checkFailing(deps)
      assert.deepEqual([await failing(), await listFailing(database.em, 'signals', 9)], [0, ['failed once']])
    })

    it('none that has ended, though Temporal’s list lacks for seconds what has just begun', async () => {
      await told('ended')
      await checkFailing(deps)
      assert.deepEqual(await listFailing(database.em, 'signals', 9), ['ended'])
      await database.em.execute(`update failing_workflows set notified_at = now() - interval '11 seconds'`)
      await checkFailing(deps)
      assert.deepEqual(await listFailing(database.em, 'signals', 9), [])
    })
  })

  describe('marks ledger and Temporal, and', () => {
    let watch: RollbackWatch
    beforeEach(() => {
      watch = new RollbackWatch(deps)
    })
    afterEach(() => watch.stop())
    const marks = async () => [(await readLedgerMark(database.em))?.sequence, mark]
    const later = (seconds: number) =>
      database.em.execute(`update ledger_mark set marked_at = marked_at - interval '${seconds} seconds'`)
    /** Looks until the reconciliation that may begin is over. */
    const looked = async () => {
      await watch.look()
      await eventually(async () => assert.equal(await watch.look(), false), { within: 18_000 })
    }
    const told = async () =>
      (await database.em.fork().find(Alert, { kind: 'set_back' })).map(({ message }) => message)

    it('goes on in both every 30 s, also where the process died between the two', async () => {
      await looked()
      assert.deepEqual(await marks(), [1, 1])
      await later(29)
      await looked()
      assert.deepEqual(await marks(), [1, 1])
      await later(31)
      temporalIsUp = false
      await watch.look()
      assert.deepEqual(await marks(), [2, 1])
      temporalIsUp = true
      await looked()
      assert.deepEqual([await marks(), await told()], [[2, 2], []])
    })

    it('notifies every owner when the ledger is older than Temporal', async () => {
      await writeLedgerMark(database.em, 5)
      mark = 7
      await looked()
      const [message] = await told()
      assert.match(
        message!,
        /^The ledger was rolled back to an earlier state of 20.*Z: what was accepted after that/,
      )
      assert.deepEqual(await marks(), [8, 8])
    })

    it('halts everybody when the ledger is older than Temporal, before any worker runs, and once', async () => {
      await writeLedgerMark(database.em, 5)
      mark = 7
      await database.em.execute('delete from worker_heartbeats')
      await watch.look()
      const [halt] = await listActiveHalts(database.em)
      assert.deepEqual([halt?.scope, halt?.level], ['global', 'reduceOnly'])
      await liftHalt(database.em, { scope: 'global' }, 'operator')
      await watch.look()
      assert.deepEqual([await listActiveHalts(database.em), await told()], [[], []])
    })

    it('reconciles a ledger that was restored from a copy of the same age, once', async () => {
      await writeLedgerMark(database.em, 5)
      mark = 5
      await markRestored(database.em, '2026-11-22T10:00:00.000Z')
      await looked()
      assert.match(
        (await told())[0]!,
        /^The ledger was rolled back to an earlier state of 2026-11-22T10:00:00.000Z/,
      )
      assert.deepEqual([await marks(), (await readLedgerMark(database.em))?.restoredTo], [[6, 6], null])
      await looked()
      assert.equal((await told()).length, 1)
    })

    it('starts nothing a second time from a restored ledger when Temporal began without data', async () => {
      const lost = await signal({ status: 'transmitted' })
      await markRestored(database.em, '2026-11-22T10:00:00.000Z')
      await looked()
      assert.equal(restarted.length, 1)
      assert.match((await told())[0]!, new RegExp(`1 differences, 1 mended. mended: signal-${lost.id} `))
    })

    it('starts again and names what is missing when Temporal is older than the ledger', async () => {
      const lost = await signal({ status: 'pending', executeMode: 'pending' })
      await writeLedgerMark(database.em, 7)
      mark = 5
      await looked()
      assert.equal(restarted.length, 1)
      assert.match(
        (await told())[0]!,
        new RegExp(`^Temporal was rolled back.* 1 differences, 1 mended. mended: signal-${lost.id} `),
      )
      assert.deepEqual(await marks(), [8, 8])
    })

    it('compares after a standstill too, and reports nothing that the service mends by itself', async () => {
      await signal({ status: 'pending', executeMode: 'pending' })
      await looked()
      await later(91)
      await looked()
      assert.equal(restarted.length, 1)
      assert.deepEqual([await marks(), await told()], [[2, 2], []])
    })

    it('marks ledger and Temporal, and starts nothing again from a ledger rolled back before it knows the orders at the broker', async () => {
      const overdue = await exitDue(20)
      const lost = await signal({ status: 'pending', executeMode: 'pending' })
      await writeLedgerMark(database.em, 5)
      mark = 7
      const broker = new ScriptedBroker()
      const request = orderRequest({ clientOrderId: clientOrderIdFor(overdue.id, 'timed', 1), side: 'SELL' })
      broker.accept(request)
      let startedBefore: number | null = null
      const gateway: typeof deps.gateway = {
        ...deps.gateway,
        async syncAccount() {
          startedBefore ??= restarted.length
          await applyOrderReport(database.em, account.id, broker.accepted.get(request.clientOrderId)!.report)
          return { outcome: 'synced', syncedAt: new Date().toISOString() }
        },
      }
      const service = createWatch({ ...deps, gateway, brokerOf: () => broker })
      service.start()
      await eventually(async () => assert.ok(restarted.length >= 2), { within: 30_000 })
      await service.stop()
      const started = new Set(restarted.map((each) => ('terms' in each ? each.terms.signalId : '')))
      assert.deepEqual([startedBefore, started], [0, new Set([overdue.id, lost.id])])
    })

    it('waits for a worker before it reconciles, and marks nothing until then', async () => {
      await writeLedgerMark(database.em, 5)
      mark = 7
      await database.em.execute('delete from worker_heartbeats')
      await looked()
      assert.deepEqual([await marks(), await told()], [[5, 7], []])
    })
  })

  it('the watch is kept by one process at a time, and taken over from one that has died', async () => {
    const lease = { name: 'watch', holder: randomUUID(), seconds: 1 }
    assert.equal(await holdLease(database.em, lease), true)
    await exitDue(20)
    const watch = createWatch(deps)
    watch.start()
    await eventually(async () => assert.deepEqual(await causes(), ['exit: workflow_missing']), {
      within: 8_000,
    })
    assert.equal(await holdLease(database.em, lease), false)
    await watch.stop()
    assert.equal(await holdLease(database.em, lease), true)
    await giveUpLease(database.em, 'watch', lease.holder)
  })
})
