import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import type { EntityManager } from '#db/engine/database.ts'
import type { Account } from '#db/entities/index.ts'
import {
  giveUpOrder,
  readPermits,
  takeBackDecision,
  withdrawPermit,
  type GivenUp,
  type LeavingOrder,
} from '#db/order/send-permits.ts'
import { readSymbolState } from '#db/position/symbol-state.ts'
import { checkThrottle } from '#db/order/throttle.ts'
import { ORDER_CAPS } from '#domain/risk/buying-power.ts'
import { clientOrderIdFor } from '#domain/order/order.ts'
import { decided } from '#test/support/decided.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount, createSignal } from '#test/support/factories.ts'
import { entryIdOf, placedByHand } from '#test/support/placed-by-hand.ts'
import { exitAtOnce } from '#test/support/sample-signal.ts'

describe('the gate of orders, when an order is given up or its decision taken back,', () => {
  let em: EntityManager
  useDatabase((database) => {
    em = database.em
  })
  let account: Account
  beforeEach(async () => {
    account = await createAccount(em)
  })

  const KINDS = ['closing signal', 'exit', 'order by hand'] as const
  /** A closing order of ten shares, with the decision to send it. */
  async function closing(kind: (typeof KINDS)[number]): Promise<LeavingOrder> {
    const clientOrderId = await idOf(kind)
    await decided(em, { clientOrderId, quantity: '10', side: 'SELL' })
    return { accountId: account.id, clientOrderId, quantity: '10', reducing: true }
  }
  async function idOf(kind: (typeof KINDS)[number]): Promise<string> {
    const accountId = account.id
    if (kind === 'order by hand')
      return entryIdOf(await placedByHand(em, account, { side: 'SELL', reducesOnly: true }))
    if (kind === 'closing signal')
      return clientOrderIdFor((await createSignal(em, { accountId, action: 'closeLong' })).id, 'entry', 1)
    const waiting = { accountId, exitRule: exitAtOnce, exitStatus: 'waiting' } as const
    return clientOrderIdFor((await createSignal(em, waiting)).id, 'timed', 1)
  }
  const ask = async (order: LeavingOrder, inner = em): Promise<string> =>
    (await checkThrottle(inner, order, ORDER_CAPS)).verdict
  const passesOf = ({ clientOrderId }: LeavingOrder) => readPermits(em, clientOrderId)
  const refused = (detail: string): GivenUp => ({ outcome: 'rejected', code: 'BROKER_ERROR', detail })

  it('refuses to give up an order that another attempt may send since', async () => {
    const order = await closing('exit')
    await ask(order)
    assert.equal(await ask(order), 'allowed')
    assert.equal(await giveUpOrder(em, order, 1, refused('no')), false)
    assert.equal(await ask(order), 'allowed')
  })

  it('keeps the first reason why it was given up, however often it is', async () => {
    const order = await closing('exit')
    for (const detail of ['the first', 'the second']) await giveUpOrder(em, order, 0, refused(detail))
    const told = await checkThrottle(em, order, ORDER_CAPS)
    assert.equal(told.verdict === 'given_up' && told.givenUp.detail, 'the first')
  })

  it('keeps an attempt in mind that may have sent the order, when an earlier one reports that it sent nothing', async () => {
    const order = await closing('exit')
    await ask(order)
    await ask(order)
    const { before } = await passesOf(order)
    await withdrawPermit(em, order.clientOrderId, 1)
    assert.equal((await passesOf(order)).before, before)
    await withdrawPermit(em, order.clientOrderId, 2)
    assert.ok((await passesOf(order)).before! < before!)
  })

  for (const kind of KINDS) {
    it(`lets no ${kind} out whose decision was taken back`, async () => {
      const order = await closing(kind)
      await ask(order)
      assert.equal(await takeBackDecision(em, order, 1, 'its shares were sold'), true)
      const told = await checkThrottle(em, order, ORDER_CAPS)
      // A closing signal or order by hand is decided on anew under the same id; an exit gets another one, and this one its reason.
      if (kind !== 'exit') assert.equal(told.verdict, 'void')
      else assert.equal(told.verdict === 'given_up' && told.givenUp.detail, 'its shares were sold')
    })

    it(`lets another attempt at the ${kind} go on that passed it since: its decision is not taken back`, async () => {
      const order = await closing(kind)
      await ask(order)
      await ask(order)
      assert.equal(await takeBackDecision(em, order, 1, 'its shares were sold'), false)
      assert.equal(await ask(order), 'allowed')
    })

    it(`lets another attempt at the ${kind} go on that passes it in this moment: its decision is not taken back`, async () => {
      const order = await closing(kind)
      await ask(order)
      let taking: Promise<boolean> | undefined
      await em.fork().transactional(async (inner) => {
        assert.equal(await ask(order, inner), 'allowed')
        taking = takeBackDecision(em, order, 1, 'its shares were sold')
        await pause(200)
      })
      assert.equal(await taking, false)
      assert.equal(await ask(order), 'allowed')
    })
  }

  it('leaves the shares of an exit that was taken back to others', async () => {
    const order = await closing('exit')
    const claimed = async () => (await readSymbolState(em, account.id, 'AAPL')).live.length
    assert.equal(await claimed(), 1)
    await takeBackDecision(em, order, 0, 'its shares were sold')
    assert.equal(await claimed(), 0)
  })
})
