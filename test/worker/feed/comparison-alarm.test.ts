import assert from 'node:assert/strict'
import { BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import type { Database } from '#db/engine/database.ts'
import { Alert, type Account } from '#db/entities/index.ts'
import { createAccount } from '#test/support/factories.ts'
import { loggerInMemory } from '#test/support/log-lines.ts'
import { useDatabase } from '#test/support/database.ts'
import { ComparisonAlarm } from '#worker/feed/comparison-alarm.ts'

describe('the alarm of an account that cannot be compared with its broker', () => {
  let database: Database
  let account: Account
  let alarm: ComparisonAlarm
  useDatabase((opened) => {
    database = opened
  })
  beforeEach(async () => {
    account = await createAccount(database.em)
    alarm = newAlarm()
  })

  const newAlarm = (quietMs = 0) =>
    new ComparisonAlarm(database.em, account.id, loggerInMemory().log, quietMs)
  const open = async () =>
    (await database.em.fork().find(Alert, { accountId: account.id, resolvedAt: null })).map(
      ({ kind, message }) => `${kind}: ${message}`,
    )
  const unreadable = new BrokerOutcomeUnknown('the list cannot be read')

  it('the alarm of an account that cannot be compared with its broker is raised after a minute of failures, and ends once comparisons have succeeded for the quiet time', async () => {
    for (const second of [0, 15, 45, 59]) await alarm.note(unreadable, second * 1_000)
    assert.deepEqual(await open(), [])
    await alarm.note(unreadable, 60_000)
    assert.match((await open())[0]!, /^comparison_failing: .*the list cannot be read/)
    await alarm.note(null, 75_000)
    assert.deepEqual(await open(), [])
  })

  it('the alarm of an account that cannot be compared with its broker is not raised by failures with a success between them', async () => {
    for (const [second, trouble] of [
      [0, unreadable],
      [30, null],
      [45, unreadable],
      [90, unreadable],
    ] as const)
      await alarm.note(trouble, second * 1_000)
    assert.deepEqual(await open(), [])
  })

  it('the alarm of an account that cannot be compared with its broker is raised by a single order that cannot be read', async () => {
    for (const second of [0, 60]) await alarm.note('order x-e1: it cannot be read', second * 1_000)
    assert.match((await open())[0]!, /order x-e1/)
  })

  it('the alarm of an account that cannot be compared with its broker is left to the alert of its own when the keys are refused', async () => {
    for (const second of [0, 60]) await alarm.note(new BrokerCredentialsError('revoked'), second * 1_000)
    assert.deepEqual(await open(), [])
  })

  it('the alarm of an account that cannot be compared with its broker is ended by another worker than the one that raised it', async () => {
    for (const second of [0, 60]) await alarm.note(unreadable, second * 1_000)
    await newAlarm().note(null, 70_000)
    assert.deepEqual(await open(), [])
  })

  it('stays one alert while comparisons succeed and fail in turn within the quiet time', async () => {
    alarm = newAlarm(600_000)
    for (const minute of [0, 1, 2, 3]) {
      for (const second of [0, 60]) await alarm.note(unreadable, (minute * 120 + second) * 1_000)
      await alarm.note(null, (minute * 120 + 90) * 1_000)
    }
    assert.equal((await open()).length, 1)
    assert.equal(await database.em.fork().count(Alert, { accountId: account.id }), 1)
    await newAlarm(0).note(null, 600_000)
    assert.deepEqual(await open(), [])
  })
})
