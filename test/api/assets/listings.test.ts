import assert from 'node:assert/strict'
import { AssetListings } from '#api/assets/listings.ts'
import { AssetLookupUnsupported, BrokerCredentialsError, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { sealCredentials } from '#db/brokers/credentials.ts'
import { DAY_MS } from '#domain/time-units.ts'
import { ScriptedBroker } from '../../support/scripted-broker.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { pluck } from '#test/support/pluck.ts'

describe('the lists of assets that are kept', () => {
  const connectionOf = (brokerId: string, brokerType = 'alpaca') => ({
    accountId: `account of ${brokerId}`,
    userId: 'user',
    brokerId,
    brokerType,
    baseUrl: 'http://127.0.0.1:1',
    isActive: true,
    sealedCredentials: sealCredentials(secretKeys, { brokerId, userId: 'user' }, {}),
  })
  let now: number
  let broker: ScriptedBroker
  let listings: AssetListings
  beforeEach(() => {
    now = 0
    broker = new ScriptedBroker()
    broker.listed = [{ symbol: 'AAPL', name: 'Apple Inc.', exchange: 'NASDAQ' }]
    const access = { connectBroker: () => broker, secretKeys, brokerTimeout: 1_000 }
    listings = new AssetListings(access, () => now)
  })
  const ask = async (brokerId: string, brokerType?: string) =>
    pluck(await listings.of(connectionOf(brokerId, brokerType)), 'symbol')
  const asked = () => broker.requests.get('listAssets') ?? 0

  it('a list of assets is read once a day for all connections of a kind, also by those who ask at once', async () => {
    assert.deepEqual(await Promise.all([ask('a'), ask('b'), ask('a')]), [['AAPL'], ['AAPL'], ['AAPL']])
    now = DAY_MS - 1
    await ask('c')
    assert.equal(asked(), 1)
    await ask('a', 'paper')
    assert.equal(asked(), 2)
    now = DAY_MS
    await ask('a')
    assert.equal(asked(), 3)
  })

  it('a list of assets that fails is told by its error, and not asked for again by every letter that is typed', async () => {
    broker.outage = new BrokerOutcomeUnknown('no answer in time')
    for (let letter = 0; letter < 3; letter++)
      await assert.rejects(ask('a'), { code: 'BROKER_ERROR', message: 'no answer in time' })
    assert.equal(asked(), 1)
    broker.outage = null
    now = 30_000
    assert.deepEqual(await ask('a'), ['AAPL'])
  })

  it('a list of assets that fails for the keys of one connection is read by those of another', async () => {
    let isFirst = true
    broker.latency = () => {
      broker.outage = isFirst ? new BrokerCredentialsError('the keys are not accepted') : null
      isFirst = false
    }
    const answers = await Promise.allSettled([ask('a'), ask('b')])
    assert.deepEqual(
      answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason.code)),
      ['BROKER_CREDENTIALS_INVALID', ['AAPL']],
    )
  })

  it('a list of assets of a broker that has none is none', async () => {
    Object.assign(broker, { listAssets: undefined })
    await assert.rejects(ask('a'), AssetLookupUnsupported)
  })
})
