import assert from 'node:assert/strict'
import { acceptsFilled, accepts } from '../support/recording-activities.ts'
import { exitAtOnce } from '../support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'

const atLimit = { ...exitAtOnce, orderType: 'limit', limitPrice: '110' } as const
const blocked = () => ({
  quantity: null,
  coversQuantity: null,
  notBefore: null,
  obstacle: 'SELL 10 AAPL limit 120 is to close these shares',
})

describe('an exit whose order was cancelled for another order', function () {
  this.timeout(60_000)
  const stage = useStage()

  it('an exit whose order was cancelled for another order is sent again for the shares that the other order has left open', async () => {
    const play = await stage.begin({ exit: atLimit }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, accepts)
        .answer('readCancelMarks', () => ({ askedBy: null, gaveWayTo: 'closer-e1' }))
        .answer(
          'sizeExit',
          ({ filledQuantity }) => ({
            quantity: filledQuantity,
            coversQuantity: filledQuantity,
            notBefore: null,
          }),
          () => ({
            quantity: '4',
            coversQuantity: '10',
            notBefore: null,
          }),
        ),
    )
    await play.script.accepted('exit')
    await play.tell(play.exitId(1), 'CANCELLED', '0')
    await play.script.accepted('exit', 2)
    await play.tell(play.exitId(2), 'FILLED', '4')
    const { exitFilled } = await play.result()
    assert.equal(exitFilled, '4')
    assert.deepEqual(
      play.script.inputs('sizeExit').map(({ generation, filledQuantity }) => [generation, filledQuantity]),
      [
        [1, '10'],
        [2, '10'],
      ],
    )
    // Nothing was wrong: nobody is alerted.
    assert.deepEqual(play.script.inputs('recordExitTrouble'), [])
  })

  it('names the other order while that one rests, and is tried again', async () => {
    const play = await stage.begin({ exit: atLimit }, (script) =>
      script
        .answer('submitOrder', acceptsFilled, accepts)
        .answer('readCancelMarks', () => ({ askedBy: null, gaveWayTo: 'closer-e1' }))
        .answer(
          'sizeExit',
          ({ filledQuantity }) => ({
            quantity: filledQuantity,
            coversQuantity: filledQuantity,
            notBefore: null,
          }),
          blocked,
        ),
    )
    await play.script.accepted('exit')
    await play.tell(play.exitId(1), 'CANCELLED', '0')
    await play.script.accepted('exit', 2)
    await play.tell(play.exitId(2), 'FILLED', '10')
    await play.result()
    const [trouble] = play.script.inputs('recordExitTrouble')
    assert.deepEqual([trouble?.kind, trouble?.detail], ['held', blocked().obstacle])
    assert.equal(play.script.inputs('sizeExit').at(-1)?.failures, 1)
  })

  it('an exit whose order was cancelled for another order is not sent again when the cancel did not come from this service', async () => {
    const play = await stage.begin({ exit: atLimit }, (script) =>
      script.answer('submitOrder', acceptsFilled, accepts),
    )
    await play.script.accepted('exit')
    await play.tell(play.exitId(1), 'CANCELLED', '0')
    await play.result()
    assert.equal(play.script.inputs('recordClosed').at(-1)?.unprotected, '10')
  })
})

describe('a market exit with an order of ours on the other side', function () {
  this.timeout(60_000)

  it('a market exit with an order of ours on the other side is sent at the limit of its sizing', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, (script) =>
      script.answer('submitOrder', acceptsFilled, acceptsFilled).answer('sizeExit', ({ filledQuantity }) => ({
        quantity: filledQuantity,
        coversQuantity: filledQuantity,
        notBefore: null,
        limitPrice: '60.01',
      })),
    )
    await play.result()
    const { orderType, limitPrice } = play.script.inputs('submitOrder').at(-1)!.request
    assert.deepEqual([orderType, limitPrice], ['limit', '60.01'])
  })
})
