import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import type { Activities } from '#activities/contract.ts'
import { createActivities } from '#activities/index.ts'
import { BrokerBusy } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal, orderReport } from '#test/support/factories.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'
import { exitBegins } from '#domain/exit-progress.ts'

const WORDS = 'The broker’s request limit is reached; nothing is sent until 2026-11-25T15:00:00Z'

describe('a step while the request limit of its broker is reached', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  for (const name of ['planExit', 'sizeExit', 'cancelOrder'] as const)
    it(`${name} is tried again when the wait is over, and says so`, async () => {
      const account = await createAccount(em)
      const signal = await createSignal(em, { accountId: account.id })
      const broker = new ScriptedBroker()
      const limited = async (): Promise<never> => {
        throw new BrokerBusy(WORDS, 7_000)
      }
      Object.assign(broker, { listSessions: limited, getPosition: limited, cancelOrder: limited })
      const activities: Activities = createActivities({
        em,
        secretKeys,
        connectBroker: () => broker,
        requestTimeoutMs: 4_000,
      })
      const entry = orderReport(signal, { status: 'FILLED', filledQuantity: '10' })
      const [signalId, accountId] = [signal.id, account.id]
      const steps = {
        planExit: () =>
          activities.planExit({
            signalId,
            accountId,
            rule: exitAtOnce,
            entry,
            entryEndedAt: '2026-03-02T15:00:00.000Z',
            progress: exitBegins(),
          }),
        sizeExit: () =>
          activities.sizeExit({
            signalId,
            accountId,
            generation: 1,
            symbol: signal.symbol,
            side: 'SELL',
            filledQuantity: '10',
            rule: exitAtOnce,
            coveredQuantity: '0',
            failures: 0,
          }),
        cancelOrder: () =>
          activities.cancelOrder({
            accountId,
            brokerOrderId: entry.brokerOrderId,
            onlyIfUnfilled: false,
          }),
      }
      await assert.rejects(
        steps[name](),
        (error) =>
          error instanceof ApplicationFailure &&
          error.type === 'BrokerBusy' &&
          error.message === WORDS &&
          error.nextRetryDelay === 7_000,
      )
    })
})
