import assert from 'node:assert/strict'
import type { Decimal } from '#domain/money/decimal.ts'
import type { ExitRule } from '#domain/exit/exit.ts'
import type { OrderStatus } from '#domain/order/order.ts'
import type { Answers } from '#test/support/recording-activities.ts'
import { rejectionOf } from '#test/support/rejections.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'
import { useStage } from '#test/support/signal-stage.ts'
import { accepts, acceptsFilled, stands } from '#test/support/step-answers.ts'

const limitExit = { ...exitAtOnce, orderType: 'limit', limitPrice: '200' } as const

interface Case {
  exit?: ExitRule
  /** How the broker says that the order stands which it is asked to cancel, the first time and later. */
  says: [status: OrderStatus, filledQuantity?: Decimal][]
  answers?: Answers['submitOrder']
  exits: string[]
  exitFilled: Decimal
  /** The exit is recorded as cancelled by the person. */
  isLeft?: true
}

const OF_ENTRY: Record<string, Case> = {
  'ends the signal without a position when the order has no fill': {
    says: [['CANCELLED']],
    exits: [],
    exitFilled: '0',
  },
  'leads to an exit for the filled shares': { says: [['CANCELLED', '4']], exits: ['x1 4'], exitFilled: '4' },
  'is requested again until the broker has cancelled the order, and a fill before that gets its exit': {
    says: [['OPEN'], ['OPEN'], ['FILLED', '10']],
    exits: ['x1 10'],
    exitFilled: '10',
  },
}
const OF_EXIT: Record<string, Case> = {
  'leaves the position open, and no other exit follows': {
    says: [['CANCELLED', '3']],
    exits: ['x1 10'],
    exitFilled: '3',
    isLeft: true,
  },
  'is answered when the order fills at the same moment': {
    exit: limitExit,
    says: [['FILLED', '10']],
    exits: ['x1 10'],
    exitFilled: '10',
  },
  'is too late when the order had expired before: the rest gets another exit, as after any such end': {
    says: [['EXPIRED', '4']],
    exits: ['x1 10', 'x2 6'],
    exitFilled: '10',
  },
}

describe('a cancel by a person of an order of a signal', () => {
  const stage = useStage()

  for (const [role, cases] of [
    ['entry', OF_ENTRY],
    ['exit', OF_EXIT],
  ] as const)
    for (const [title, { exit = exitAtOnce, says, exits, exitFilled, isLeft }] of Object.entries(cases))
      it(`a cancel by a person of the ${role} order of a signal ${title}`, async () => {
        const play = await stage.begin(
          { orderType: 'limit', limitPrice: '187.5', timeInForce: 'gtc', exit },
          {
            submitOrder: [...(role === 'entry' ? [] : [acceptsFilled]), accepts, acceptsFilled],
            cancelOrder: says.map((each) => stands(...each)),
          },
        )
        await play.script.accepted(role)
        const [status, filledQuantity = '0'] = says[0]!
        const answer = await play.cancelOrder(role === 'entry' ? play.entryId : play.exitId())
        assert.deepEqual(answer, { status, filledQuantity })
        assert.equal((await play.result()).exitFilled, exitFilled)
        assert.deepEqual(play.exits, exits)
        const cancels = play.script.inputs('cancelOrder')
        assert.deepEqual(
          cancels.map(({ onlyIfUnfilled }) => onlyIfUnfilled),
          says.map(() => false),
        )
        assert.equal(play.script.inputs('recordCancelRequested')[0]!.by, 'bob@example.test')
        const left = play.script.inputs('recordExitCancelled').map(({ by }) => by)
        assert.deepEqual(left, isLeft ? ['bob@example.test'] : [])
      })

  it('a cancel by a person of an order of a signal is rejected for an ended order, and for an order of another signal', async () => {
    const play = await stage.begin({ exit: exitAtOnce }, { submitOrder: [acceptsFilled, accepts] })
    await play.script.accepted('exit')
    for (const id of [play.entryId, play.exitId(7)])
      assert.equal(await rejectionOf(play.cancelOrder(id)), 'ORDER_NOT_CANCELLABLE')
    assert.equal((await play.fillExit()).exitFilled, '10')
  })
})
