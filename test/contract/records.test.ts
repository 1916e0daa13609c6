import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import { assertType, fieldTitle, RECORDS, type RecordName, type SpecifiedRecord } from './records.ts'

/** Records as the whole service shows them, held against section 2 of the specification field by field. */
describe('the records of the specification', function () {
  this.timeout(60_000)
  const service = useStack()
  const shown: Partial<Record<RecordName, Record<string, unknown>>> = {}

  before(async () => {
    const { api, accountId } = service.stack
    const body = { symbol: 'AAPL', action: 'openLong', accountId, quantity: 10 }
    const executed = (await api.post('/signals', { ...body, executeMode: 'immediate' })).body.signal
    const scheduledProcessAt = new Date(Date.now() + 86_400_000).toISOString().slice(0, 19)
    const later = { ...body, executeMode: 'scheduled', scheduledProcessAt, timezone: 'UTC' }
    shown.executedSignal = executed
    shown.scheduledSignal = (await api.post('/signals', { ...later, sourceId: randomUUID() })).body.signal
    await eventually(async () => {
      const { positions, summary } = (await api.get('/positions?symbol=AAPL')).body
      assert.equal(positions.length, 1)
      shown.position = positions[0]
      shown.positionSummary = summary
    })
    shown.accountPosition = (await api.get(`/positions/${accountId}`)).body.positions[0]
    shown.orderDetail = (await api.get(`/orders/${executed.orderId}`)).body
    shown.orderItem = (await api.get('/orders')).body.orders[0]
    shown.accountItem = (await api.get('/accounts')).body.accounts[0]
    shown.accountDetail = (await api.get(`/accounts/${accountId}`)).body
    const looked = (await api.get('/assets/aapl')).body.data
    shown.asset = looked.asset
    shown.capabilities = looked.capabilities
  })

  for (const [key, { section, name, fields, open }] of Object.entries<SpecifiedRecord>(RECORDS)) {
    describe(`${section}: ${name}`, () => {
      for (const [field, type] of Object.entries(fields)) {
        it(fieldTitle(field, type), () => {
          const record = shown[key as RecordName]!
          assert.ok(Object.hasOwn(record, field), `there is no ${field}: ${JSON.stringify(record)}`)
          assertType(record[field], type)
        })
      }
      if (!open) {
        it('holds nothing else', () => {
          const known = new Set(Object.keys(fields))
          assert.deepEqual(
            Object.keys(shown[key as RecordName]!).filter((field) => !known.has(field)),
            [],
          )
        })
      }
    })
  }

  it('2.4: the account of an order in detail is its id and name', () => {
    assert.deepEqual(Object.keys(shown.orderDetail!['account'] as object).toSorted(), ['id', 'name'])
  })

  it('2.5: the broker of an account in detail is its id, type and status', () => {
    const broker = shown.accountDetail!['broker'] as Record<string, unknown>
    for (const field of ['id', 'brokerType', 'status']) assert.equal(typeof broker[field], 'string', field)
  })
})
