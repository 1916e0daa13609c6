import assert from 'node:assert/strict'
import { UNRESTRICTED } from '#test/support/permissions.ts'
import type { OrderAttempt, PreparedEntry } from '#activities/contract.ts'
import { BrokerBusy, BrokerRejection } from '#brokers/port.ts'
import type { Signal } from '#db/entities/index.ts'
import { held } from '#test/support/sample-position.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'

describe('an entry that its broker refuses', () => {
  let { desk, em, account, broker } = {} as ActivityDesk
  useDesk((opened) => {
    ;({ desk, em, account, broker } = opened)
    broker.balances = { ...broker.balances, type: 'CASH', equity: '10000', buyingPower: '10000' }
  })

  const attempt = async (fields: Partial<Signal> = {}): Promise<OrderAttempt<PreparedEntry>> =>
    desk.attempt(await desk.accepted({ quantity: '150', ...fields }))
  const refusalOf = ({ submission }: OrderAttempt<PreparedEntry>) => {
    assert.ok(submission?.completed && submission.result.outcome === 'rejected')
    const { code, detail } = submission.result
    return [code, detail]
  }
  const refuse = (refusal: BrokerRejection, asSent: () => void = () => {}) => {
    broker.submitOrder = async () => {
      asSent()
      throw refusal
    }
  }

  it('an entry that its broker refuses for lack of funds is explained with the figures of the broker, where it names them, and asks it nothing', async () => {
    const funds = { needed: '22500', available: '9876.5' } as const
    refuse(new BrokerRejection('INSUFFICIENT_FUNDS', 'insufficient buying power', 403, { funds }))
    assert.deepEqual(refusalOf(await attempt()), [
      'INSUFFICIENT_FUNDS',
      'The order needs $22,500 of buying power, and the account has $9,876.50',
    ])
    assert.equal(broker.requests.get('getAccount'), undefined)
  })

  it('an entry that its broker refuses for lack of funds is explained with our figures, where the broker names none', async () => {
    refuse(new BrokerRejection('INSUFFICIENT_FUNDS', 'insufficient buying power', 403))
    assert.deepEqual(refusalOf(await attempt()), [
      'INSUFFICIENT_FUNDS',
      'The order needs $15,000 of buying power, and the account has $10,000',
    ])
    assert.deepEqual(refusalOf(await attempt({ quantity: '99' })), [
      'INSUFFICIENT_FUNDS',
      'insufficient buying power. The order needs $9,900 of the buying power of $10,000',
    ])
  })

  const asOthers: [name: string, scene: () => void, fields: Partial<Signal>, code: string, words: RegExp][] =
    [
      [
        'that is not traded',
        () => (broker.asset = { ...broker.asset!, tradable: false }),
        {},
        'ASSET_NOT_TRADABLE',
        /^AAPL is not traded at the broker at the moment$/,
      ],
      [
        'against a position of the other side',
        () => (broker.positions = [held('10', 'SHORT')]),
        {},
        'INVALID_ORDER',
        /^SHORT 10 AAPL are held: a position of the other side is opened after closeShort$/,
      ],
      [
        'sold short in a cash account',
        () => (broker.balances = { ...broker.balances, permissions: { ...UNRESTRICTED, sellsShort: false } }),
        { action: 'openShort' },
        'SHORTING_NOT_PERMITTED',
        /^The account may not sell short at its broker$/,
      ],
    ]
  for (const [name, scene, fields, wanted, words] of asOthers)
    it(`${name} is explained in the words of the dry run`, async () => {
      refuse(new BrokerRejection('BROKER_ERROR', 'raw words', 403), scene)
      const [code, detail] = refusalOf(await attempt(fields))
      assert.equal(code, wanted)
      assert.match(detail!, words)
    })

  it('an entry that its broker refuses against a position of the other side has its broker asked for that once', async () => {
    broker.positions = [held('10', 'SHORT')]
    refuse(new BrokerRejection('BROKER_ERROR', 'raw words', 403))
    await attempt()
    assert.equal(broker.requests.get('getPosition'), 1)
  })

  it('an entry that its broker refuses for a reason that no rule of ours sees is explained in its own words', async () => {
    refuse(new BrokerRejection('BROKER_ERROR', 'raw words', 403))
    assert.deepEqual(refusalOf(await attempt()), ['BROKER_ERROR', 'raw words'])
  })

  it('an entry that its broker refuses and that cannot be asked why is explained in its own words', async () => {
    refuse(new BrokerRejection('INSUFFICIENT_FUNDS', 'insufficient buying power', 403))
    broker.getAccount = () => Promise.reject(new BrokerBusy('too many requests', 0))
    assert.deepEqual(refusalOf(await attempt()), ['INSUFFICIENT_FUNDS', 'insufficient buying power'])
  })

  it('an entry that its broker refuses had nothing asked for its buying power before it was sent, when its quantity is fixed', async () => {
    let asked: unknown
    const submit = broker.submitOrder.bind(broker)
    broker.submitOrder = (request) => {
      asked = ['getAccount', 'getQuotes', 'listOrders', 'getPosition'].map((one) => broker.requests.get(one))
      return submit(request)
    }
    await em.execute(
      `insert into risk_settings (account_id, user_id, limits)
       values (?, ?, '{"maxOrderValue": null, "maxPositionValue": null}'::jsonb)`,
      [account.id, account.userId],
    )
    await attempt()
    assert.deepEqual(asked, [undefined, undefined, undefined, undefined])
  })
})
