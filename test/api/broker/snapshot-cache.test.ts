import assert from 'node:assert/strict'
import { KeptAnswers } from '#api/broker/asked.ts'
import { SnapshotCache } from '#api/broker/snapshot-cache.ts'
import { MarketData } from '#api/market/market-data.ts'
import type { Broker } from '#brokers/port.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { nyseSessions } from '#domain/time/nyse.ts'
import { addDays } from '#domain/time/wall-time.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import { secretKeys } from '../../support/secret-keys.ts'

describe('looks at a broker', () => {
  const connection = {
    accountId: 'account',
    userId: 'user',
    brokerId: 'broker',
    brokerType: 'paper',
    baseUrl: 'http://127.0.0.1:1',
    isActive: true,
    sealedCredentials: sealCredentials(secretKeys, { brokerId: 'broker', userId: 'user' }, {}),
  }

  it('looks at twenty symbols ask for account, positions, orders and calendar once, and again once the ledger has changed', async () => {
    const broker = new ScriptedBroker()
    const today = new Date().toISOString().slice(0, 10)
    broker.sessions = nyseSessions(today, addDays(today, 30))
    const access = { connectBroker: (): Broker => broker, secretKeys, brokerTimeout: 1_000 }
    const looks = new SnapshotCache(access, new MarketData(access))
    const asked = () =>
      ['getAccount', 'listPositions', 'listOrders', 'listSessions'].map(
        (name) => broker.requests.get(name) ?? 0,
      )
    const look = async (mark: string) => {
      const looked = looks.of(connection, mark)
      await Promise.all([
        looked.getAccount(),
        looked.getPosition('AAPL'),
        looked.listOrders({ status: 'open' }),
        looked.listSessions(today, addDays(today, 5)),
        looked.getClock(),
      ])
    }
    await Promise.all(Array.from({ length: 20 }, () => look('one')))
    assert.deepEqual(asked(), [1, 1, 1, 1])
    await look('two')
    assert.deepEqual(asked(), [2, 2, 2, 1])
  })

  it('an answer is kept for its time, of its state and of those that came, and no failure is', async () => {
    let now = 0
    let answers = 0
    const kept = new KeptAnswers({ life: 1_000, most: 2, now: () => now })
    const ask = (key: string, mark = '') => kept.ask(key, async () => (answers += 1), mark)
    assert.deepEqual([await ask('a'), await ask('a'), await ask('a', 'changed')], [1, 1, 2])
    now = 1_000
    assert.equal(await ask('a', 'changed'), 3)
    await ask('b')
    await ask('c')
    assert.equal(await ask('a', 'changed'), 6)
    await assert.rejects(kept.ask('d', () => Promise.reject(new Error('away'))))
    assert.equal(await ask('d'), 7)
  })
})
