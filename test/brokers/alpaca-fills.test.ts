import assert from 'node:assert/strict'
import type { Broker } from '#brokers/port.ts'
import { alpacaFee, alpacaFill } from './alpaca-answers.ts'
import { pluck } from '#test/support/pluck.ts'
import { connectAlpaca, json, useScriptedServer, type ScriptedServer } from './scripted-server.ts'

describe('Alpaca adapter: fills and fees', () => {
  let server: ScriptedServer
  let broker: Broker
  useScriptedServer((given) => {
    server = given
    broker = connectAlpaca(server.url)
  })

  const SINCE = '2026-03-16T14:00:00.250Z'
  const listed = (...activities: object[]) => {
    server.answerWith(json(200, activities))
    return broker.listFills(SINCE)
  }
  const asked = (index = 0): URLSearchParams => new URL(server.received[index]!.path, server.url).searchParams

  it('reads an execution, to the microsecond', async () => {
    const { fills, until, hasMore } = await listed(alpacaFill())
    assert.deepEqual(fills, [
      {
        executionId: '2d7be4ff-d1f3-43e9-856a-0f5cf5c5088e',
        brokerOrderId: 'b5abe576-6a8a-49f3-a353-46b72c1ccae9',
        symbol: 'AAPL',
        side: 'BUY',
        quantity: '2',
        price: '174.78',
        at: '2026-03-16T18:55:09.981482Z',
        orderFilled: '2',
      },
    ])
    assert.deepEqual([until, hasMore], ['2026-03-16T18:55:09.981482Z', false])
  })

  it('asks for executions and fees in the order of time, from the second before', async () => {
    await listed()
    assert.deepEqual(Object.fromEntries(asked()), {
      activity_types: 'FILL,FEE',
      direction: 'asc',
      page_size: '100',
      after: '2026-03-16T13:59:59Z',
    })
  })

  it('reads the splits of a symbol from a day on, and passes over what it cannot read', async () => {
    const split = { activity_type: 'SPLIT', symbol: 'NVDA', net_amount: '0', status: 'executed' }
    server.answerWith(
      json(200, [
        { ...split, id: '1', date: '2026-03-16', qty: '-10' },
        { ...split, id: '2', date: '2026-03-16T00:00:00Z', qty: '100' },
        { ...split, id: '3', date: '2026-03-16', qty: '5', symbol: 'AAPL' },
        { ...split, id: '4', date: 'soon', qty: 'many' },
        { ...split, id: '5', date: '2026-03-16', qty: '10', activity_type: 'DIV' },
      ]),
    )
    assert.deepEqual(await broker.listSplits('NVDA', '2026-02-14'), [
      { date: '2026-03-16', quantity: '-10' },
      { date: '2026-03-16', quantity: '100' },
    ])
    assert.deepEqual(Object.fromEntries(asked()), {
      activity_types: 'SPLIT',
      after: '2026-02-14T00:00:00Z',
      direction: 'asc',
    })
  })

  it('takes a short sale for a sale, under either name', async () => {
    const { fills } = await listed(alpacaFill({ side: 'sell_short' }), alpacaFill({ side: 'sell' }))
    assert.deepEqual(pluck(fills, 'side'), ['SELL', 'SELL'])
  })

  it('reads deductions from the account as fees, of an execution or of a day', async () => {
    const { fees, until } = await listed(
      alpacaFee(),
      alpacaFee({ id: 'second', execution_id: '2d7be4ff-d1f3-43e9-856a-0f5cf5c5088e', net_amount: '0.01' }),
    )
    assert.deepEqual(fees, [
      { feeId: alpacaFee().id, executionId: null, day: '2026-03-16', amount: '0.02', kind: 'sales' },
      {
        feeId: 'second',
        executionId: '2d7be4ff-d1f3-43e9-856a-0f5cf5c5088e',
        day: '2026-03-16',
        amount: '-0.01',
        kind: 'sales',
      },
    ])
    assert.equal(until, '2026-03-17T04:00:00.123456Z')
  })

  it('says on which executions a fee is charged, and assigns unknown fees to none', async () => {
    const kinds = ['REG', 'CAT', 'COM', 'ORF', 'NEW', undefined]
    const { fees } = await listed(
      ...kinds.map((kind, index) => alpacaFee({ id: `${index}`, activity_sub_type: kind })),
    )
    assert.deepEqual(pluck(fees, 'kind'), ['sales', 'trades', 'trades', 'other', 'other', 'other'])
  })

  it('takes a cancelled fee for none', async () => {
    const { fees } = await listed(alpacaFee({ status: 'canceled' }))
    assert.equal(fees[0]?.amount, '0')
  })

  it('leaves out options and symbols that were not asked for', async () => {
    const option = alpacaFill({ symbol: 'AAPL260116C00150000' })
    const { fills, fees } = await listed(option, { id: 'x', activity_type: 'DIV' })
    assert.deepEqual([fills, fees], [[], []])
  })

  const FAULTS: Record<string, object> = {
    'without a price': { price: undefined },
    'of no shares': { qty: '0' },
    'of fewer shares than can be kept': { qty: '0.0000000001' },
    'of more shares than can be kept': { qty: '100000000000' },
    'of shares below zero': { qty: '-1' },
    'at a price below zero': { price: '-1' },
    'on an unknown side': { side: 'borrow' },
    'without its order': { order_id: '' },
    'without a symbol': { symbol: null },
    'at no time': { transaction_time: 'soon' },
    'at an impossible time': { transaction_time: '0000-01-01T00:00:00Z' },
    'with a character that cannot be stored': { symbol: 'A\u0000' },
  }
  for (const [name, fault] of Object.entries(FAULTS))
    it(`leaves out an execution ${name}, names it, and reads the others`, async () => {
      const others = ['20260316145509981::first', '20260316145509983::last'].map((id) => alpacaFill({ id }))
      const { fills, unreadable, hasMore } = await listed(
        others[0]!,
        alpacaFill({ id: '20260316145509982::odd', ...fault }),
        others[1]!,
      )
      assert.deepEqual(pluck(fills, 'executionId'), ['first', 'last'])
      assert.deepEqual([unreadable?.map(({ executionId }) => executionId), hasMore], [['odd'], false])
    })

  it('leaves out a fee without its amount, and an entry that says nothing of itself', async () => {
    const { fills, fees, unreadable } = await listed(
      alpacaFee({ id: 'fee', net_amount: undefined }),
      { nothing: true },
      alpacaFill(),
    )
    assert.deepEqual([fills.length, fees.length], [1, 0])
    assert.deepEqual(pluck(unreadable!, 'executionId'), ['fee', 'without an id: {"nothing":true}'])
  })

  it('goes on behind a page of executions that cannot be read', async () => {
    const { until } = await listed(alpacaFill({ qty: '0', transaction_time: '2026-03-16T14:55:09.981123Z' }))
    assert.equal(until, '2026-03-16T14:55:09.981123Z')
  })

  it('turns pages by the last id, and says when a long list has more', async () => {
    let answered = 0
    const next = () => alpacaFill({ id: `20260316145509981::${(answered += 1)}` })
    server.answerBy(() => json(200, Array.from({ length: 100 }, next)))
    const { fills, hasMore } = await broker.listFills(SINCE)
    assert.deepEqual([fills.length, hasMore], [1_000, true])
    assert.equal(asked(0).get('page_token'), null)
    assert.equal(asked(1).get('page_token'), '20260316145509981::100')
    assert.equal(new Set(fills.map(({ executionId }) => executionId)).size, 1_000)
  })

  it('ends with the first page that is not full', async () => {
    const { hasMore } = await listed(alpacaFill())
    assert.deepEqual([hasMore, server.received.length], [false, 1])
  })
})
