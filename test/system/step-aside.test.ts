import assert from 'node:assert/strict'
import { eventually } from '#test/support/eventually.ts'
import { useStack } from '#test/support/stack-hooks.ts'
import type { LedgerOrder } from '#test/support/venue-desk.ts'
import { ordersAtVenue, senderOn, shown } from '#test/service/sent-signal.ts'

const PLAN = { protection: { stop: { percent: '5' }, target: { percent: '10' } } }
/** Milliseconds without an order at the broker, in the midst of other tests. */
const LONGEST_GAP = 1_000

describe('an entry beside our own exits, on the whole service', function () {
  this.timeout(120_000)
  const service = useStack()
  const { pinned, send, sent, untilHeld } = senderOn(service)
  const exitsOf = async (signalId: string): Promise<LedgerOrder[]> =>
    ordersAtVenue(await service.stack.venue.ledger(), signalId, 'exit')
  const working = async (signalId: string): Promise<string[]> =>
    (await exitsOf(signalId)).filter(({ status }) => ['new', 'held'].includes(status)).map(({ qty }) => qty)
  const untilProtected = (signalId: string, quantity: string) =>
    eventually(
      async () =>
        assert.ok((await working(signalId)).includes(quantity), JSON.stringify(await exitsOf(signalId))),
      {
        within: 20_000,
      },
    )
  /** From the end of an exit to the acceptance of the next, in milliseconds. */
  async function gapsOf(signalId: string): Promise<number[]> {
    const exits = (await exitsOf(signalId)).filter(({ sender_order_id: chain }) => chain == null)
    return exits
      .slice(1)
      .map(({ created_at: at }, before) => Date.parse(at) - Date.parse(exits[before]!.canceled_at!))
  }

  it('an entry beside our own exits has them called back, and each owner’s shares are protected again', async () => {
    const symbol = await pinned('ZTASIA')
    const first = await sent({ symbol, ...PLAN })
    await untilProtected(first, '10')
    const second = await sent({ symbol, quantity: 5, protection: { stop: { percent: '4' } } })
    await untilHeld(symbol, 15)
    await untilProtected(first, '10')
    await untilProtected(second, '5')
    const gaps = await gapsOf(first)
    console.log(`      ${gaps.join(', ')} ms without an order at the broker`)
    assert.ok(gaps.length === 1 && gaps[0]! < LONGEST_GAP, `${gaps.join(', ')} ms`)
  })

  it('an entry beside our own exits that may rest is refused, with advice in the answer', async () => {
    const symbol = await pinned('ZTASIB')
    const first = await sent({ symbol, ...PLAN })
    await untilProtected(first, '10')
    const { status, body } = await send({ symbol, quantity: 5, orderType: 'limit', limitPrice: 90 })
    assert.deepEqual([status, body.code], [400, 'OPPOSITE_ORDER'], JSON.stringify(body))
    assert.match(
      body.error,
      /^Your own stop and target of ZTASIB are in the way: .*send it at market while the market is open/,
    )
    assert.equal((await gapsOf(first)).length, 0, 'nothing has made way for it')
    const atOnce = await sent({
      symbol,
      quantity: 5,
      orderType: 'limit',
      limitPrice: 110,
      timeInForce: 'ioc',
    })
    await untilHeld(symbol, 15)
    assert.equal((await shown(service.stack, atOnce)).status, 'executed')
    await untilProtected(first, '10')
  })
})
