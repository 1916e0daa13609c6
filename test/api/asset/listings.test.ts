import assert from 'node:assert/strict'
import { AssetListings, findable, matching } from '#api/asset/commands.ts'
import { AssetLookupUnsupported, BrokerOutcomeUnknown } from '#brokers/port.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { DAY_MS } from '#domain/time/instants.ts'
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

  it('a list of assets that fails is shown by its error, and not asked for again by every letter that is typed', async () => {
    broker.outage = new BrokerOutcomeUnknown('no answer in time')
    for (let letter = 0; letter < 3; letter++)
      await assert.rejects(ask('a'), { code: 'BROKER_ERROR', message: 'no answer in time' })
    assert.equal(asked(), 1)
    broker.outage = null
    now = 30_000
    assert.deepEqual(await ask('a'), ['AAPL'])
  })

  it('a list of assets of a broker that has none is none', async () => {
    Object.assign(broker, { listAssets: undefined })
    await assert.rejects(ask('a'), AssetLookupUnsupported)
  })
})

describe('the search for assets', () => {
  const NAMES: Record<string, string> = {
    ALL: 'Allstate Corporation',
    AAPL: 'Apple Inc. Common Stock',
    APLE: 'Apple Hospitality REIT, Inc.',
    APP: 'AppLovin Corporation',
    'BRK.B': 'Berkshire Hathaway Inc. Class B',
    DOLE: 'Pineapple of Dole plc',
    KO: 'Coca-Cola Company (The)',
    T: 'AT&T Inc.',
    ZTA: '',
  }
  const assets = findable(Object.entries(NAMES).map(([symbol, name]) => ({ symbol, name, exchange: 'NYSE' })))
  const found = (text: string, limit = 20) => pluck(matching(assets, text, limit), 'symbol')

  it('finds by the symbol first, then by the beginning of it, of the name, of its words, and by any part', () => {
    assert.deepEqual(found('app'), ['APP', 'AAPL', 'APLE', 'DOLE'])
    assert.deepEqual(found('apple'), ['AAPL', 'APLE', 'DOLE'])
    assert.deepEqual(found('a').slice(0, 5), ['AAPL', 'ALL', 'APLE', 'APP', 'T'])
    assert.deepEqual(found('hospitality'), ['APLE'])
    assert.deepEqual(found('PL'), ['DOLE', 'AAPL', 'APLE', 'APP'])
  })

  it('finds by the beginnings of words in any order and case, with any signs between them', () => {
    for (const text of ['berk hath', 'HATHAWAY berkshire', 'Berkshire  Hathaway, Inc']) {
      assert.deepEqual(found(text), ['BRK.B'], text)
    }
    assert.deepEqual(found('coca cola'), ['KO'])
    assert.deepEqual(found('at&t'), ['T'])
    assert.deepEqual(found('the coca-cola'), ['KO'])
  })

  it('finds a symbol in the spellings of others, and one without a name', () => {
    for (const text of ['brk.b', 'BRK/B', 'brk-b', 'NYSE:BRK.B'])
      assert.deepEqual(found(text), ['BRK.B'], text)
    assert.deepEqual(found('zta'), ['ZTA'])
  })

  it('finds the wanted number, and nothing by nothing, or by signs alone', () => {
    assert.deepEqual(found('a', 2), ['AAPL', 'ALL'])
    for (const text of ['', '&', 'no such company']) assert.deepEqual(found(text), [], text)
  })
})
