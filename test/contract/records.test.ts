import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'

/** What the specification says that a field holds. */
type FieldType = 'string' | 'UUID' | 'number' | 'boolean' | 'ISO 8601' | 'object' | readonly string[]
type Fields = Record<string, FieldType | { orNull: FieldType }>

const all = (type: Fields[string], names: string): Fields =>
  Object.fromEntries(names.split(' ').map((name) => [name, type]))
const orNull = (type: FieldType) => ({ orNull: type })

const ORDER_ITEM: Fields = {
  ...all('string', 'id accountId brokerOrderId symbol orderType timeInForce'),
  side: ['BUY', 'SELL', 'BUY_TO_COVER', 'SELL_SHORT'],
  ...all('number', 'quantity filledQuantity'),
  ...all(orNull('number'), 'limitPrice avgFillPrice'),
  status: ['PENDING', 'OPEN', 'PARTIALLY_FILLED', 'FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED'],
  createdAt: 'ISO 8601',
  filledAt: orNull('ISO 8601'),
}
const ACCOUNT_ITEM: Fields = {
  ...all('string', 'id brokerId brokerAccountId name currency'),
  type: ['MARGIN', 'CASH', 'IRA'],
  ...all('number', 'equity cashBalance buyingPower'),
  ...all('boolean', 'isActive isDemo isPrimary'),
  lastSyncedAt: orNull('ISO 8601'),
}
const ACCOUNT_POSITION: Fields = {
  ...all('string', 'id symbol'),
  side: ['LONG', 'SHORT'],
  ...all('number', 'quantity avgCost currentPrice marketValue unrealisedPnl unrealisedPnlPercent'),
  lastUpdated: 'ISO 8601',
}
const SIGNAL: Fields = { id: 'UUID', ...all('string', 'status executeMode') }

/** Records of section 2 by name: every field that the specification names. */
const RECORDS = {
  'signal of POST /signals, executed': { ...SIGNAL, orderId: 'UUID' },
  'signal of POST /signals, scheduled': { ...SIGNAL, scheduledAt: 'ISO 8601' },
  'order of a list': ORDER_ITEM,
  'order in detail': {
    ...ORDER_ITEM,
    stopPrice: orNull('number'),
    duration: 'string',
    updatedAt: 'ISO 8601',
    account: 'object',
  },
  'account of a list': ACCOUNT_ITEM,
  'account in detail': {
    ...ACCOUNT_ITEM,
    dayTradingBuyingPower: orNull('number'),
    ...all('number', 'marketValue unrealisedPnl realisedPnl'),
    broker: 'object',
  },
  position: {
    ...ACCOUNT_POSITION,
    accountId: 'string',
    ...all(orNull('number'), 'dayChange dayChangePercent'),
  },
  'position of one account': ACCOUNT_POSITION,
  'summary of positions': all('number', 'totalMarketValue totalUnrealisedPnl positionCount'),
  asset: {
    ...all('string', 'symbol name exchange assetClass status'),
    ...all('boolean', 'tradable marginable shortable easyToBorrow fractionable'),
    ...all(orNull('number'), 'maintenanceMarginRequirement marginRequirementLong marginRequirementShort'),
  },
  'capabilities of assets': { supportsAssetLookup: 'boolean' },
} satisfies Record<string, Fields>
type RecordName = keyof typeof RECORDS

/** Records that show no more than the specification names; the description at /openapi.json has all fields of the others. */
const CLOSED: readonly RecordName[] = ['position of one account', 'asset', 'capabilities of assets']

const PATTERNS = {
  'ISO 8601': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
  UUID: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
}

function holds(value: unknown, type: Fields[string]): boolean {
  if (Array.isArray(type)) return type.includes(value)
  if (typeof type === 'object' && 'orNull' in type) return value === null || holds(value, type.orNull)
  if (type === 'ISO 8601' || type === 'UUID') return PATTERNS[type].test(String(value))
  return typeof value === type && value !== null
}

/** Records as the whole service shows them, held against section 2 of the specification field by field. */
describe('the records of the specification', function () {
  this.timeout(60_000)
  const service = useStack()
  let shown: Record<RecordName, Record<string, unknown>>

  before(async () => {
    const { api, accountId } = service.stack
    const signal = { symbol: 'AAPL', action: 'openLong', accountId, quantity: 10 }
    const executed = (await api.post('/signals', { ...signal, executeMode: 'immediate' })).body.signal
    const scheduledProcessAt = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)
    const later = { ...signal, executeMode: 'scheduled', scheduledProcessAt, timezone: 'UTC' }
    const scheduled = await api.post('/signals', { ...later, sourceId: randomUUID() })
    const { positions, summary } = await eventually(async () => {
      const { body } = await api.get('/positions?symbol=AAPL')
      assert.equal(body.positions.length, 1)
      return body
    })
    const { asset, capabilities } = (await api.get('/assets/aapl')).body.data
    shown = {
      'signal of POST /signals, executed': executed,
      'signal of POST /signals, scheduled': scheduled.body.signal,
      'order of a list': (await api.get('/orders')).body.orders[0],
      'order in detail': (await api.get(`/orders/${executed.orderId}`)).body,
      'account of a list': (await api.get('/accounts')).body.accounts[0],
      'account in detail': (await api.get(`/accounts/${accountId}`)).body,
      position: positions[0],
      'position of one account': (await api.get(`/positions/${accountId}`)).body.positions[0],
      'summary of positions': summary,
      asset,
      'capabilities of assets': capabilities,
    }
  })

  for (const [name, fields] of Object.entries<Fields>(RECORDS)) {
    const isClosed = CLOSED.includes(name as RecordName)
    it(`${name} holds the fields of the specification${isClosed ? ' and nothing else' : ''}`, () => {
      const record = shown[name as RecordName]
      const wrong = Object.entries(fields).filter(
        ([field, type]) => !Object.hasOwn(record, field) || !holds(record[field], type),
      )
      assert.deepEqual(wrong, [], JSON.stringify(record))
      if (isClosed) assert.deepEqual(Object.keys(record).toSorted(), Object.keys(fields).toSorted())
    })
  }

  it('the account of an order in detail is its id and name', () => {
    const account = shown['order in detail']['account'] as object
    assert.deepEqual(Object.keys(account).toSorted(), ['id', 'name'])
  })

  it('the broker of an account in detail is its id, type and status', () => {
    const broker = shown['account in detail']['broker'] as Record<string, unknown>
    for (const field of ['id', 'brokerType', 'status']) assert.equal(typeof broker[field], 'string', field)
  })
})
