import assert from 'node:assert/strict'
import { ApplicationFailure } from '@temporalio/common'
import { createActivities } from '#activities/index.ts'
import { BrokerBusy } from '#brokers/port.ts'
import type { EntityManager } from '#db/engine/database.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount } from '#test/support/factories.ts'
import { ScriptedBroker } from '#test/support/scripted-broker.ts'
import { secretKeys } from '#test/support/secret-keys.ts'

const WORDS = 'The broker’s request limit is reached; nothing is sent until 2026-11-25T15:00:00Z'

describe('a step while the request limit of its broker is reached', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })

  it('a step while the request limit of its broker is reached is tried again when the wait has ended, and says so', async () => {
    const { id: accountId } = await createAccount(em)
    const broker = Object.assign(new ScriptedBroker(), {
      cancelOrder: () => Promise.reject(new BrokerBusy(WORDS, 7_000)),
    })
    const activities = createActivities({
      em,
      secretKeys,
      connectBroker: () => broker,
      requestTimeoutMs: 4_000,
    })
    const input = { accountId, brokerOrderId: 'broker-order', onlyIfUnfilled: false }
    await assert.rejects(
      activities.cancelOrder(input),
      (error) =>
        error instanceof ApplicationFailure &&
        error.type === 'BrokerBusy' &&
        error.message === WORDS &&
        error.nextRetryDelay === 7_000,
    )
  })
})
