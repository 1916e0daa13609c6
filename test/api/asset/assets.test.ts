import { connectBroker } from '#brokers/registry.ts'
import { sealCredentials } from '#db/broker/credentials.ts'
import { startVenue } from '#venue/server.ts'
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { createAccount, createConnection, createUser } from '../../support/factories.ts'
import { secretKeys } from '../../support/secret-keys.ts'
import { CONTROL_SECRET, VenueDesk } from '../../support/venue-desk.ts'
import { startApi, type ApiServer, type TestUser } from '../support/api-server.ts'
import { pluck, rowsOf, sorted } from '#test/support/pluck.ts'

/** Keys of the connections that the factories make, and of a second account at the venue. */
const FIRST = { keyId: 'KEY', secretKey: 'SECRET' }
const SECOND = { keyId: 'SECOND', secretKey: 'SECRET2' }

describe('GET /api/v1/assets/:symbol (specification, 4.5)', () => {
  let api: ApiServer
  let venue: Awaited<ReturnType<typeof startVenue>>
  let desk: VenueDesk
  let user: TestUser
  before(async function () {
    this.timeout(60_000)
    venue = await startVenue({
      VENUE_KEY_ID: FIRST.keyId,
      VENUE_SECRET_KEY: FIRST.secretKey,
      VENUE_CONTROL_SECRET: CONTROL_SECRET,
    })
    desk = new VenueDesk(venue.url, FIRST.keyId)
    await desk.openAccount(SECOND, 1000)
    api = await startApi({ connectBroker: (settings) => connectBroker({ ...settings, baseUrl: venue.url }) })
  })
  beforeEach(async () => {
    await desk.clearScript()
    user = await api.addUser()
  })
  after(async () => {
    await api.stop()
    await venue.close()
  })

  const get = (path: string, token = user.token) => api.call('GET', `/api/v1/assets/${path}`, { token })

  /** Another account of the user, at a connection with these keys; connected after the first. */
  async function connectAnother(credentials: Record<string, string>): Promise<string> {
    const { em } = api.database
    const owner = { brokerId: randomUUID(), userId: user.userId }
    const sealedCredentials = sealCredentials(secretKeys, owner, credentials)
    await createConnection(em, { id: owner.brokerId, userId: user.userId, sealedCredentials })
    const createdAt = new Date(Date.now() + 1_000)
    return (await createAccount(em, { ...owner, createdAt })).id
  }

  it('answers by the broker of the first account, in any case of the symbol', async () => {
    const { status, body } = await get('aapl')
    assert.equal(status, 200)
    assert.equal(typeof body.requestId, 'string')
    assert.deepEqual(body.data, {
      asset: {
        symbol: 'AAPL',
        name: 'Apple Inc. Common Stock',
        exchange: 'NASDAQ',
        assetClass: 'us_equity',
        status: 'active',
        tradable: true,
        marginable: true,
        shortable: true,
        easyToBorrow: true,
        fractionable: true,
        maintenanceMarginRequirement: 30,
        marginRequirementLong: 50,
        marginRequirementShort: 50,
      },
      capabilities: { supportsAssetLookup: true },
    })
  })

  it('assets are found by symbol or name, as the broker lists them, in the account that is named', async () => {
    const find = async (query: string) => api.call('GET', `/api/v1/assets?${query}`, { token: user.token })
    const { status, body } = await find('search=apple&limit=1')
    assert.equal(status, 200)
    assert.deepEqual(body.data, {
      assets: [{ symbol: 'AAPL', name: 'Apple Inc. Common Stock', exchange: 'NASDAQ' }],
    })
    const byBeginning = (await find(`search=a&accountId=${user.accountId}`)).body.data.assets
    assert.deepEqual([byBeginning.length, byBeginning[0].symbol], [20, 'A'])
    assert.deepEqual((await find('search=no+such+company')).body.data.assets, [])
    const tradable = await find('search=halted+test')
    assert.deepEqual(tradable.body.data.assets, [], 'what cannot be traded is not found')

    const faulty = await find('search=&limit=21')
    assert.deepEqual(sorted(pluck(faulty.body.details, 'field')), ['limit', 'search'])
  })

  it('distinguishes a requirement that was not reported from one of 0', async () => {
    const unreported = (await get('NOMARGIN')).body.data.asset
    const zero = (await get('ZEROMARGIN')).body.data.asset
    const NAMES = ['maintenanceMarginRequirement', 'marginRequirementLong', 'marginRequirementShort']
    assert.deepEqual(rowsOf([unreported, zero], ...NAMES), [
      [null, null, null],
      [0, 0, 0],
    ])
  })

  it('reads through: a change at the broker shows in the next answer', async () => {
    const before = await get('AAPL')
    assert.deepEqual([before.status, before.body.data.asset.symbol], [200, 'AAPL'])
    await desk.script([{ on: 'asset', mode: 'unsupported' }])
    const after = await get('AAPL')
    assert.deepEqual([after.status, after.body.code], [400, 'NO_ASSET_LOOKUP_ACCOUNT'])
  })

  it('takes a token that holds trading:read, and refuses one that does not with INSUFFICIENT_SCOPES', async () => {
    assert.equal((await get('AAPL', await user.mint({ scopes: ['trading:read'] }))).status, 200)
    const { status, body } = await get('AAPL', await user.mint({ scopes: ['signals:write'] }))
    assert.deepEqual([status, body.code], [403, 'INSUFFICIENT_SCOPES'])
  })

  it('asks the next account when the broker of the first has no look-up', async () => {
    await connectAnother(SECOND)
    await desk.script([{ on: 'asset', mode: 'unsupported', account: FIRST.keyId }])
    const { status, body } = await get('AAPL')
    assert.deepEqual([status, body.data.asset.symbol], [200, 'AAPL'])
  })

  it('answers 400 NO_ASSET_LOOKUP_ACCOUNT when no broker has a look-up, and when there is no account', async () => {
    await desk.script([{ on: 'asset', mode: 'unsupported' }])
    assert.equal((await get('AAPL')).body.code, 'NO_ASSET_LOOKUP_ACCOUNT')
    const { id: userId } = await createUser(api.database.em)
    const sql = 'update access_tokens set user_id = ? where user_id = ?'
    await api.database.em.execute(sql, [userId, user.userId])
    assert.equal((await get('AAPL')).body.code, 'NO_ASSET_LOOKUP_ACCOUNT')
  })

  it('answers 400 ASSET_LOOKUP_NOT_SUPPORTED when the broker of the account asked for has none', async () => {
    const another = await connectAnother(SECOND)
    await desk.script([{ on: 'asset', mode: 'unsupported', account: FIRST.keyId }])
    const { status, body } = await get(`AAPL?accountId=${user.accountId}`)
    assert.deepEqual([status, body.code], [400, 'ASSET_LOOKUP_NOT_SUPPORTED'])
    assert.equal((await get(`AAPL?accountId=${another}`)).status, 200)
  })

  it('answers 404 ASSET_NOT_FOUND, 404 ACCOUNT_NOT_FOUND, 409 BROKER_CREDENTIALS_INVALID and 502 BROKER_ERROR', async () => {
    const other = await api.addUser()
    const rejected = await connectAnother({ keyId: 'KEY', secretKey: 'wrong' })
    for (const [path, status, code] of [
      ['XXNONE', 404, 'ASSET_NOT_FOUND'],
      [`AAPL?accountId=${randomUUID()}`, 404, 'ACCOUNT_NOT_FOUND'],
      [`AAPL?accountId=${other.accountId}`, 404, 'ACCOUNT_NOT_FOUND'],
      [`AAPL?accountId=${rejected}`, 409, 'BROKER_CREDENTIALS_INVALID'],
      ['AAPL', 502, 'BROKER_ERROR'],
    ] as const) {
      if (status === 502) await desk.script([{ on: 'get', mode: '500' }])
      const { body, ...answer } = await get(path)
      assert.deepEqual([answer.status, body.code], [status, code], path)
      if (code === 'ASSET_NOT_FOUND') assert.equal(body.error, 'The broker has no asset XXNONE')
    }
  })
})
