import assert from 'node:assert/strict'
import pino from 'pino'
import type { WatchGateway, WorkflowToRun } from '#api/temporal/watch-gateway.ts'
import { Census, replaceRuns, type CensusDependencies } from '#api/supervisor/census.ts'
import type { Account, Signal } from '#db/entities/index.ts'
import type { Database } from '#db/engine/database.ts'
import { applyOrderReport } from '#db/order/reports.ts'
import { recordAccepted } from '#db/signal/ledger.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { useDatabase } from '#test/support/database.ts'
import { subjectOf } from '../support/subject-of-workflow.ts'
import { acceptanceOf, placedByHand } from '#test/support/placed-by-hand.ts'

const aMinuteAgo = (): Date => new Date(Date.now() - 60_000)

describe('workflows that are started again from the ledger', () => {
  let database: Database
  useDatabase((opened) => {
    database = opened
  })

  let account: Account
  let deps: CensusDependencies
  let restarted: { rebuilt: WorkflowToRun; inPlaceOf: boolean }[]
  beforeEach(async () => {
    await database.em.execute('truncate users cascade')
    account = await createAccount(database.em)
    restarted = []
    const gateway: Pick<WatchGateway, 'inspect' | 'ensureRunning' | 'runningOf' | 'countRunning'> = {
      inspect: async () => null,
      countRunning: async () => 0,
      runningOf: async () => new Set(),
      async ensureRunning(rebuilt, _, inPlaceOf = false) {
        restarted.push({ rebuilt, inPlaceOf })
        return true
      },
    }
    deps = { database, gateway, logger: pino({ level: 'silent' }) }
  })

  const signal = (fields: Partial<Signal> = {}): Promise<Signal> =>
    createSignal(database.em, { accountId: account.id, workflowStartedAt: aMinuteAgo(), ...fields })
  const ids = (): string[] => restarted.map(({ rebuilt }) => subjectOf(rebuilt)).toSorted()

  it('workflows that are started again from the ledger take the place of those that go by a later one, but for signals of whose entry neither this one nor the broker knows', async () => {
    await signal({ status: 'pending', executeMode: 'pending' })
    await signal({ status: 'scheduled', executeMode: 'scheduled' })
    await signal({ status: 'queued' })
    await signal({ status: 'pending' })
    await signal({ status: 'transmitted' })
    const working = await signal()
    await recordAccepted(database.em, orderReport(working))
    assert.equal(await replaceRuns(deps), 1)
    assert.deepEqual(ids(), [working.id])
    assert.deepEqual(
      restarted.map(({ inPlaceOf }) => inPlaceOf),
      [true],
    )
  })

  it('workflows that are started again from the ledger adopt an entry that is at the broker, of a signal that is still unsent by its record', async () => {
    const sent = await Promise.all([
      signal({ status: 'queued' }),
      signal({ status: 'scheduled', executeMode: 'scheduled' }),
      signal({ status: 'pending', executeMode: 'pending' }),
      signal({ status: 'pending' }),
      // By a ledger of before its start.
      signal({ status: 'queued', workflowStartedAt: null }),
      signal({ status: 'queued', workflowStartedAt: new Date() }),
    ])
    for (const each of sent) await applyOrderReport(database.em, each.accountId, orderReport(each))
    assert.equal(await replaceRuns(deps), sent.length)
    assert.deepEqual(ids(), sent.map(({ id }) => id).toSorted())
    assert.ok(restarted.every(({ rebuilt, inPlaceOf }) => 'terms' in rebuilt && inPlaceOf))
  })

  it('workflows that are started again from the ledger take no place in an account that could not be compared with its broker', async () => {
    const working = await signal()
    await recordAccepted(database.em, orderReport(working))
    assert.equal(await replaceRuns(deps, new Set([account.id])), 0)
    assert.equal(await replaceRuns(deps, new Set()), 1)
  })

  it('workflows that are started again from the ledger come on, though one of them cannot be started', async () => {
    const [spoilt, working] = [await signal(), await signal()]
    for (const each of [spoilt, working]) await recordAccepted(database.em, orderReport(each))
    const { ensureRunning } = deps.gateway
    deps.gateway.ensureRunning = (rebuilt, ...rest) => {
      if ('terms' in rebuilt && rebuilt.terms.signalId === spoilt.id) throw new Error('its record is spoilt')
      return ensureRunning(rebuilt, ...rest)
    }
    assert.equal(await replaceRuns(deps), 1)
    assert.deepEqual(ids(), [working.id])
  })

  it('take no place of any other where one is missing', async () => {
    const lost = await signal({ status: 'queued' })
    assert.equal(await Census.take(deps), 1)
    assert.deepEqual([ids(), restarted[0]?.inPlaceOf], [[lost.id], false])
  })

  it('workflows that are started again from the ledger are those of orders by hand too', async () => {
    const terms = await placedByHand(database.em, account)
    await applyOrderReport(database.em, account.id, acceptanceOf(terms))
    await database.em.execute(
      `update signals set workflow_started_at = now() - interval '1 minute' where id = ?`,
      [terms.signalId],
      'run',
    )
    assert.equal(await Census.take(deps), 1)
    assert.deepEqual(ids(), [terms.signalId])
  })
})
