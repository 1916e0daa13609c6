import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { growAdopted, insertAdopted } from '#db/signal/adopted.ts'
import { findOpenSignal } from '#db/signal/record.ts'
import type { Decimal } from '#domain/money/decimal.ts'
import { useDesk, type ActivityDesk } from '#test/support/activity-desk.ts'
import { signalIn } from '#test/support/ledger.ts'

const PLAN = { stop: null, target: { price: '120' }, trail: null, breakEven: null, until: 'closed' } as const

describe('unowned shares that a signal has adopted', function () {
  this.timeout(60_000)
  let { em, account, lists } = {} as ActivityDesk
  useDesk((desk) => {
    ;({ em, account, lists } = desk)
  })

  const adopted = async (quantity: Decimal): Promise<string> => {
    const id = randomUUID()
    const isNew = await insertAdopted(em, {
      id,
      userId: account.userId,
      accountId: account.id,
      symbol: 'AAPL',
      side: 'LONG',
      quantity,
      average: '100',
      protection: PLAN,
      by: 'ann@example.test',
      tokenId: null,
      received: { key: 'received', kind: 'received', at: new Date().toISOString(), message: 'adopted' },
    })
    return isNew ? id : 'none'
  }
  const grown = async (signalId: string, filled: Decimal): Promise<Decimal | null> =>
    (await growAdopted(em, { signalId, filled }))?.filled ?? null
  const bought = (quantity: Decimal) => lists({ side: 'BUY', quantity, orderFilled: quantity })
  const sold = (quantity: Decimal) => lists({ side: 'SELL', quantity, orderFilled: quantity })

  it('unowned shares that a signal has adopted grow by what is bought, after any sale, and for every later asker', async () => {
    await bought('100')
    const id = await adopted('100')
    assert.equal(await adopted('100'), 'none', 'one plan for account and symbol')
    assert.equal(await grown(id, '100'), null)
    await sold('40')
    assert.equal(await grown(id, '100'), null, 'fewer are what others have closed')
    await bought('70')
    assert.equal(await grown(id, '100'), '170')
    assert.equal(await grown(id, '100'), '170', 'asked again, after an answer that was lost')
    assert.equal(await grown(id, '170'), null)
    const { filledQuantity } = await signalIn(em, id)
    assert.equal(Number(filledQuantity), 170)
  })

  it('unowned shares that a signal has adopted keep it open until it has ended, also without its levels', async () => {
    await bought('10')
    const id = await adopted('10')
    assert.equal((await findOpenSignal(em, id))?.isSent, true)
    await em.execute('update signals set protection = null where id = ?', [id])
    assert.ok(await findOpenSignal(em, id))
    await em.execute('update signals set closings = 1 where id = ?', [id])
    assert.equal(await findOpenSignal(em, id), null)
    assert.notEqual(await adopted('10'), 'none', 'and leave room for another')
  })
})
