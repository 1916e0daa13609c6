import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { EntityManager } from '#db/engine/database.ts'
import { actAs } from '#db/engine/row-security.ts'
import type { Account } from '#db/entities/index.ts'
import { claimName, endHookRequest, storeHookRequest, type HookRequestEnd } from '#db/hook/requests.ts'
import { KEPT_REQUESTS, removeOldRequests, removeSurplusRequests } from '#db/hook/retention.ts'
import { findEarlierGroup } from '#db/signal/groups.ts'
import { storeSignals } from '#db/signal/storing.ts'
import { removeUnstarted } from '#db/signal/signals.ts'
import { useDatabase } from '#test/support/database.ts'
import { createAccount } from '#test/support/factories.ts'
import { addHookRow, type HookRow } from '#test/support/hook-rows.ts'
import { newSignalOf } from '#test/support/new-signal.ts'

const AT = Date.parse('2026-03-02T15:00:00Z')
const received = {
  key: 'received',
  kind: 'received',
  at: new Date(AT).toISOString(),
  message: 'received',
} as const

interface Sent {
  id: string
  /** Seconds after the first message. */
  after: number
  signature: string | null
}

describe('the name of a message to a hook', () => {
  let service: EntityManager
  let account: Account
  let hook: HookRow
  useDatabase((database) => {
    service = database.em
  })
  beforeEach(async () => {
    account = await createAccount(service, { isDemo: true })
    hook = await addHookRow(service, account.userId)
  })

  const inName = (): EntityManager => {
    const em = service.fork()
    actAs(em, hook.userId)
    return em
  }
  const namedOf = ({ id, after }: Sent, seconds: number | null) => {
    const at = new Date(AT + after * 1_000)
    return { id, userId: hook.userId, name: `message ${hook.id} buy`, seconds, at }
  }

  async function send(after = 0, signature: string | null = null): Promise<Sent> {
    const id = randomUUID()
    const came = { via: 'sender', again: null, ip: '192.0.2.1', body: 'buy', bytes: 3 } as const
    const receivedAt = new Date(AT + after * 1_000)
    const message = { id, hookId: hook.id, userId: hook.userId, receivedAt, signature, ...came }
    await storeHookRequest(inName(), message, 5_000)
    return { id, after, signature }
  }
  const claim = (sent: Sent, seconds: number | null = null) =>
    claimName(inName(), namedOf(sent, seconds), { hookId: hook.id, signature: sent.signature }, 'AAPL')

  /** Reports whether its signal was stored, and the id of the signal. */
  async function trade(
    sent: Sent,
    seconds: number | null = null,
    isDemo = true,
  ): Promise<{ outcome: string; signalId: string }> {
    const told = { symbol: 'AAPL', summary: 'buy', accounts: 1, refusals: [], supersedes: [], meantAt: null }
    const group = { ...namedOf(sent, seconds), tokenId: hook.id, ...told }
    const signal = newSignalOf(account)
    const asked = [{ signal, received, isDemo, maxWaiting: null }]
    const { outcome } = await storeSignals(inName(), group, asked, 5_000)
    return { outcome, signalId: signal.id }
  }
  const end = ({ id }: Sent, outcome: HookRequestEnd['outcome']) =>
    endHookRequest(
      inName(),
      id,
      { outcome, code: null, message: '', faults: [], advisories: [], groupId: null },
      200,
    )
  const names = async (): Promise<number> =>
    (await service.fork().execute('select from requests where user_id = ?', [hook.userId])).length

  it('the name of a message to a hook is got by one of fifty at once', async () => {
    const all = await Promise.all(Array.from({ length: 50 }, () => send()))
    const claims = await Promise.all(all.map((sent) => claim(sent)))
    assert.equal(claims.filter(({ isRepeated }) => !isRepeated).length, 1)
    assert.equal(await names(), 1)
  })

  it('the name of a message to a hook is taken over by a repetition that stores signals, and the message finds these', async () => {
    for (const seconds of [null, 30]) {
      const [first, second] = [await send(), await send(25)]
      assert.equal((await claim(first, seconds)).isRepeated, false)
      assert.equal((await claim(second, seconds)).isRepeated, true)
      assert.equal((await trade(second, seconds)).outcome, 'stored')
      assert.equal((await trade(first, seconds)).outcome, 'existing')
      assert.equal((await findEarlierGroup(inName(), namedOf(first, seconds)))?.id, second.id)
    }
  })

  it('the name of a message to a hook that was taken over is good from its repetition on', async () => {
    const [first, second, third] = [await send(), await send(25), await send(31)]
    await claim(first, 30)
    assert.equal((await trade(second, 30)).outcome, 'stored')
    assert.equal((await trade(third, 30)).outcome, 'existing')
  })

  it('the name of a message to a hook stays while nothing was stored and the message has not ended, so that it is cancelled once', async () => {
    const [first, second] = [await send(), await send()]
    await claim(first)
    assert.equal((await trade(first, null, false)).outcome, 'refused')
    const { signalId } = await trade(first)
    await removeUnstarted(service.fork(), [signalId])
    assert.equal((await claim(second)).isRepeated, true)
    assert.equal((await trade(second)).outcome, 'stored')
  })

  it('the name of a message to a hook is free once that came to nothing, unless signals were stored under it', async () => {
    const [refused, again] = [await send(), await send()]
    await claim(refused)
    await end(refused, 'refused')
    assert.equal((await claim(again)).isRepeated, false)
    assert.equal((await trade(again)).outcome, 'stored')
    await end(again, 'refused')
    assert.equal((await trade(await send())).outcome, 'existing')
  })

  it('a signed message to a hook is good once, for any outcome of its signals', async () => {
    const [signed, taken] = [await send(0, 'one'), await send(0, 'two')]
    await claim(signed)
    assert.equal((await trade(signed, null, false)).outcome, 'refused')
    await end(signed, 'nothing')
    assert.deepEqual((await claim(await send(60, 'one'))).isReplayed, true)
    await claim(taken, 30)
    assert.equal((await trade(await send(1), 30)).outcome, 'stored')
    await end(taken, 'accepted')
    assert.deepEqual((await claim(await send(60, 'two'), 30)).isReplayed, true)
  })

  it('the name of a message to a hook that is good for a while goes with its message', async () => {
    const [old, lasting] = [await send(-31 * 86_400), await send(-31 * 86_400)]
    await claim(old, 30)
    await claim(lasting)
    const before = await names()
    await service.fork().execute(`update hook_requests set received_at = now() - interval '31 days'`)
    await removeOldRequests(service.fork())
    assert.equal(await names(), before - 1)
  })

  it('the name of a message to a hook that was never carried out goes with it', async () => {
    await claim(await send())
    await service.fork().execute(
      `insert into hook_requests (id, user_id, hook_id, received_at, ip, body, bytes, outcome)
       select gen_random_uuid(), ?, ?, now(), '192.0.2.1', '', 0, 'accepted' from generate_series(1, ?)`,
      [hook.userId, hook.id, KEPT_REQUESTS.requests],
    )
    assert.deepEqual(await removeSurplusRequests(service.fork()), { removed: 1, unfinished: 1 })
    assert.equal(await names(), 0)
  })
})
